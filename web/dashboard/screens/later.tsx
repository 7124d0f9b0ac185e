// The former place of `loadWhenIdle`, which a test still imports.

export { loadWhenIdle } from '../parts/page/later.tsx'
