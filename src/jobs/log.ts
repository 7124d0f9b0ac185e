// What the worker needs of a logger; pino is one.

export type Log = Record<'info' | 'warn' | 'error', (details: object, message: string) => void>
