// The demo shop's categories: two rooms with shelves in them, and what is sent by e-mail.

export type DemoCategory = {
  readonly slug: string
  readonly name: string
  readonly description: string
  /** The picture that stands for it. */
  readonly picture: string
  readonly children?: readonly DemoCategory[]
}

export const demoCategories: readonly DemoCategory[] = [
  {
    slug: 'kitchen',
    name: 'Kitchen',
    description: 'For cooking, and for what comes after.',
    picture: 'kettle',
    children: [
      {
        slug: 'tableware',
        name: 'Tableware',
        description: 'Stoneware and glass that is meant to be used every day.',
        picture: 'teapot',
      },
      {
        slug: 'cooking',
        name: 'Cooking',
        description: 'Pots, pans and tools that outlive a few cooks.',
        picture: 'saucepan-rust',
      },
    ],
  },
  {
    slug: 'home',
    name: 'Home',
    description: 'For the other rooms.',
    picture: 'side-table',
    children: [
      {
        slug: 'furniture',
        name: 'Furniture',
        description: 'Solid wood, honest joints, fabric that can be taken off and washed.',
        picture: 'chair-moss',
      },
      {
        slug: 'lighting-and-decor',
        name: 'Lighting and Decor',
        description: 'What makes an evening.',
        picture: 'pendant-lamp',
      },
      {
        slug: 'textiles',
        name: 'Textiles',
        description: 'Wool, linen and cotton.',
        picture: 'blanket-rust',
      },
    ],
  },
  {
    slug: 'downloads-and-gifts',
    name: 'Downloads and Gifts',
    description: 'Nothing to ship: it comes as a file or by e-mail.',
    picture: 'gift-card',
  },
]
