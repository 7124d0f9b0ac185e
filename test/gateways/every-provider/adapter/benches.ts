import { openMollieBench } from '../../mollie/bench.ts'
import { openPayPalBench } from '../../paypal/bench.ts'
import { openRazorpayOrders, openRazorpayPayments } from '../../razorpay/bench.ts'
import { openSquareBench } from '../../square/bench.ts'
import { openStripeBench } from '../../stripe/bench.ts'
import type { Bench } from './bench.ts'

/** The adapter of every provider; Razorpay's twice, for the two ways in which it is paid. */
export const openBenches = async (): Promise<readonly Bench[]> => [
  await openStripeBench(),
  await openSquareBench(),
  await openRazorpayOrders(),
  await openRazorpayPayments(),
  (await openPayPalBench()).bench,
  (await openMollieBench()).bench,
]
