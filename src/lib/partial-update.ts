// How a partial update reads its fields: what is sent counts, null included, and what is left out stays.

export const sentOr = <T>(sent: T | undefined, current: T): T => (sent === undefined ? current : sent)
