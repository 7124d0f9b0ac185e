// A request as a curl line, for a shell.

type CurlRequest = {
  readonly method: string
  readonly url: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body?: string | undefined
}

export function curlText({ method, url, headers, body }: CurlRequest): string {
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quote(url)}`,
    ...headers.map(([name, value]) => `  -H ${quote(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`  -d ${quote(body)}`]),
  ].join(' \\\n')
}

const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
