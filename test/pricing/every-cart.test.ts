// @unit @sampled: npm run proof prices many more carts.

import { describeEveryCart } from './every-cart.ts'

for (const isIncluded of [false, true]) describeEveryCart(isIncluded)
