// Picture that an asset shows while its file cannot be fetched: grey mountains, 480 pixels square. It is a PNG, which every page, mail and
// picture service shows. The bytes are in the code, so no file can be missing.

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAeAAAAHgAgMAAAAAulYGAAAADFBMVEXu8PLX29/Axs2psbqM9H8uAAADnUlEQVR42u3cPW7UQBiAYWyEUkyRPhQ5whxhfQOO5PRcg3sMR8' +
  'gNcEFFFaEUkcBrIuQkG+/Mrsf6fgh6nxKxeVGMvfb4s9+9AwAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA+C9dTZW+yHTbqdqNSDjWhx8kuk2qD+87gfDFtMGtQPh6S/je' +
  'ZxPLbOS0JbwXCE+buOzFMnvy+23hrz57k8T+FB5/yve6j3x8/MggEq48DjUi4ctpGms/00/TnUT4YcMxRyR8v+EoKxK+s/gMYcKECRMmTJhw8YdcpR+dR7hddSWoEI6rro' +
  'vkw826q275cFh38SsfjuuuQeXD8+rAYB1uV65wiIefrpWXV3EftMOXhRWO6045HAsrHP2tcniXX+Folnu2ePh5yWtYLJOMyuHnpZW75eVwpxpuCkuV/XKRRzrc5pcqm6N/' +
  'iVH44mjPNgr/XVfuNMMvq4u/D//G7mgHMwqnox3MJtwe//JtwpmTA5v/XJmTA5tw5uTAJJw7OTA5ZIbM7Q+TL4ncd7TJ12LuzyxOBLLb3eLU5+VeyWh7sndw57EzPb3tc3' +
  'd8DE7om+wdVINLmMPbYaPlRdurm8ud4WVqn72tp39h3uRvk+svRby+4znaLb4s5gc6s+WmXf6msf4C22J+YLAKt4VZCPVwKMxCqIdjYSRBPXw0IjLYhNvSwIt2OJQGXrTD' +
  'sTR3oh3OTAENFuG2ONWkFA773DfE4feEUjjOWzI7YdYphtO8JfvijI9OuJ23ZFOemdMJh3l3zY89jXrhOO+uhSHCTi2c5t21Lw9yqYTbeXdtTgxGqoTDfEwuTbaNWuE4H5' +
  'OLc6KdUjjNx+TdiTFBjXD7dEwuzokOOuH5O3jfnpp+1Qg/fQd/PjX9qhFOa4ZQlS5hzhk0wmHViLPW1eLZEWeF8Kph6xv58LqZ50FrKeLsRlZbfDljVFtuOueT1gLbOd+k' +
  'w2FaTWn11jqcnMI1Ty6IhoNXOHqFk1O46uEUyXDwCkevcHIK1z1/JBgOXuHoFU5O4cpHzOTCwSscvcLJKVz7FKFYOHiFo1c4OYWrHxSVCgevcPQKJ6dw/bPAQuHgFY5e4e' +
  'QU3vC4t0w4eIWjVzg5hX9OTuFfXuGJMGHChN9WOGwLD2837PbqFbeXzbi9XsfthUJ+r1Bye2nU9ZawxGuy3F4M5vYqNLeXv/m97s7tBX8AAAAAAAAAAAAAAAAAAAAAAAAA' +
  'AAAAAAAAAAD/mj+V0eVtmPaC6gAAAABJRU5ErkJggg=='

/** A new copy for each caller, who may change it. */
export const placeholderPicture = (): Buffer => Buffer.from(PNG, 'base64')
