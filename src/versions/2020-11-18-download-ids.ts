// What can be downloaded has an id that begins with `dwnld_`; before, with `ful_`, like all that is delivered.
import { type ApiRequest, type Change, set } from './change.ts'

const replacePrefix = (id: string, from: string, to: string) => (id.startsWith(from) ? to + id.slice(from.length) : id)

/** Clients send the id back in a path, as they were shown it or as it is called today. */
function up(request: ApiRequest): ApiRequest {
  const { package_id: id } = request.params
  if (id === undefined) return request
  return { ...request, params: { ...request.params, package_id: replacePrefix(id, 'ful_', 'dwnld_') } }
}

export default {
  summary: 'The ids of downloads always begin with `dwnld_`; before, with `ful_`.',
  kinds: {
    // The link stays as it is: it names the download too, and a changed one would open nothing.
    download_package: set('id', ({ id = null }) => (typeof id === 'string' ? replacePrefix(id, 'dwnld_', 'ful_') : id)),
  },
  operations: { 'orders.get_package': { up }, 'orders.update_package': { up } },
} satisfies Change
