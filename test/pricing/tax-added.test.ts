import { describeEveryCart } from './every-cart.ts'

describeEveryCart(false)
