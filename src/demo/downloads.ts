// Products that the demo shop sends as a file or by e-mail.

import type { DemoProduct } from './shelves.ts'

export const downloadProducts: readonly DemoProduct[] = [
  {
    name: 'Stool Building Plans',
    permalink: 'stool-plans',
    sku: 'CW-PLANS',
    price: 9,
    description: 'Two pages that tell how to build our three-legged stool, with every measure. Comes as a PDF.',
    category: 'downloads-and-gifts',
    pictures: ['plans'],
    downloads: [{ file: 'stool-plans.pdf', name: 'Stool Building Plans.pdf' }],
    lifespan: { duration: 30, period: 'days', download_limit: 5 },
  },
  {
    name: 'Twelve One-Pot Suppers',
    permalink: 'one-pot-suppers',
    sku: 'CW-SUPPERS',
    price: 12,
    description: 'Suppers for four that need one pot and one spoon. A small cookbook as a PDF.',
    category: 'downloads-and-gifts',
    pictures: ['cookbook'],
    downloads: [{ file: 'one-pot-suppers.pdf', name: 'Twelve One-Pot Suppers.pdf' }],
    lifespan: { duration: 12, period: 'months' },
  },
  {
    name: 'Wallpapers for Your Desk',
    permalink: 'wallpapers',
    sku: 'CW-WALLPAPERS',
    price: 0,
    pay_what_you_want: true,
    description: 'Three of our drawings for your screen, in one ZIP file. Pay what you like; nothing is fine.',
    category: 'downloads-and-gifts',
    pictures: ['wallpapers'],
    downloads: [{ file: 'wallpapers.zip', name: 'Wallpapers.zip' }],
  },
  {
    name: 'Gift Card',
    permalink: 'gift-card',
    sku: 'CW-GIFT',
    price: 10,
    pay_what_you_want: true,
    // A voucher is another form of money. The goods bought with it are taxed.
    tax_exempt: true,
    description: 'For when you know that they cook but not what they lack. Choose any amount from ten dollars up.',
    category: 'downloads-and-gifts',
    pictures: ['gift-card'],
    collects: { fullname: true, shipping_address: false },
    extra_fields: [
      { name: "Recipient's e-mail", type: 'text', required: true },
      { name: 'Message', type: 'text' },
    ],
  },
]
