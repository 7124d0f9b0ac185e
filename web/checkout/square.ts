// Comes next.

export {}
