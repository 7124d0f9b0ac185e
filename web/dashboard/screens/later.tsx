// The former place of `loadWhenIdle`, which the orders and a test still import.

export { loadWhenIdle } from '../parts/page/later.tsx'
