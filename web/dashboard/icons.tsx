// Icons beside words, drawn on a grid of 24. An icon never appears without a name.

const PATHS = {
  overview: 'M4 20V10m5.3 10V4m5.4 16v-7M20 20V8',
  orders: 'M6 3h9l4 4v14H6zM14 3v5h5M9.5 12.5h6M9.5 16.5h6',
  customers: 'M12 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 21c.6-4.2 3.6-6.5 8-6.5s7.4 2.3 8 6.5',
  key: 'M7 16a4 4 0 1 1 3.5-6H21v3.5h-2.5V16h-3v-2.5h-5A4 4 0 0 1 7 16zM7 12h.01',
  version: 'M6 3v12m0 0a3 3 0 1 0 0 6 3 3 0 0 0 0-6zm12-6a3 3 0 1 0 0-6 3 3 0 0 0 0 6zm0 0c0 5-6 4-9.5 7',
  webhook: 'M9 8.5a3.5 3.5 0 1 1 5.5 2.7l3 5M17 21a3.5 3.5 0 1 0-3-5.3H8M7 21a3.5 3.5 0 1 1 .5-7l3-5',
  event: 'M13 2 5 14h6l-1 8 8-12h-6z',
  log: 'M4 5h16M4 10h16M4 15h10M4 20h7',
  team: 'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zm-6 9c.5-3.8 2.7-5.5 6-5.5s5.5 1.7 6 5.5M16 4.5a3.5 3.5 0 0 1 0 6.3M18 14.8c1.8.8 2.7 2.5 3 5.2',
  account:
    'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zm0-9a3 3 0 1 0 0-6 3 3 0 0 0 0 6zm-5.5 6.5c.9-2.4 2.7-3.5 5.5-3.5s4.6 1.100 5.5 3.5',
  search: 'M10.5 17.5a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM16 16l5 5',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  menu: 'M4 6h16M4 12h16M4 18h16',
  close: 'M6 6l12 12M18 6 6 18',
  check: 'M5 12.5 10 17.5 19.5 7',
  circle: 'M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16z',
  warning: 'M12 3 2.5 20h19zM12 9.5v5M12 17.5h.01',
  info: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zm0-10v5.5M12 7.5h.01',
  left: 'M14.5 5 8 12l6.5 7',
  right: 'M9.5 5 16 12l-6.5 7',
  down: 'M5 9l7 6.5L19 9',
  up: 'M12 20V5m-6 6 6-6 6 6',
  out: 'M14 4h6v6m0-6-9 9M18 14v6H4V6h6',
  copy: 'M9 9h11v12H9zM5 15H4V3h11v2',
  plus: 'M12 5v14M5 12h14',
  truck: 'M2 6h12v11H2zM14 10h4l4 4v3h-8M7 20a2 2 0 1 0 0-4 2 2 0 0 0 0 4zm10 0a2 2 0 1 0 0-4 2 2 0 0 0 0 4z',
  money: 'M3 6h18v12H3zM12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM6.5 9.5h.01M17.5 14.5h.01',
  refund: 'M9 14 4 9l5-5M4 9h10a6 6 0 0 1 0 12h-3',
  box: 'M12 2.5 3.5 7v10l8.5 4.5 8.5-4.5V7zM3.5 7l8.5 4.5L20.5 7M12 11.5v10',
  mail: 'M3 5h18v14H3zM3 6l9 7 9-7',
  print: 'M7 8V3h10v5M7 18H3V8h18v10h-4M7 14h10v7H7z',
  logout: 'M14 4H5v16h9M10 12h11m-4-4 4 4-4 4',
  filter: 'M3 5h18l-7 8v6l-4 2v-8z',
  discount: 'M3 12V3h9l9 9-9 9zM7.5 7.5h.01',
  gift: 'M3 8h18v4H3zM5 12h14v9H5zM12 8v13M12 8C9 8 7 7 7 5s3-3 5 3c2-6 5-5 5-3s-2 3-5 3z',
  card: 'M3 5h18v14H3zM3 10h18M7 15h4',
  shop: 'M4 9v12h16V9M3 9l2-6h14l2 6c0 3-4.5 3-4.5 0 0 3-4.5 3-4.5 0 0 3-4.5 3-4.5 0 0 3-4.5 3-4.5 0zM10 21v-6h4v6',
  basket: 'M3 9h18l-2 11H5zM8 9l3-6M16 9l-3-6M9 13v3M15 13v3',
  percent: 'M5 19 19 5M7.5 10a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM16.5 19a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z',
  download: 'M12 4v11m-5-5 5 5 5-5M4 20h16',
  upload: 'M12 15V4m-5 5 5-5 5 5M4 20h16',
  lower: 'M12 4v15m-6-6 6 6 6-6',
  move: 'M12 3v18M3 12h18M9 6l3-3 3 3M9 18l3 3 3-3M6 9l-3 3 3 3M18 9l3 3-3 3',
  categories: 'M4 5h7v5H4zM13 14h7v5h-7zM7.5 10v6.5H13',
  attributes:
    'M4 7h10m4 0h2M4 17h2m4 0h10M16 9.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM8 19.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z',
  file: 'M6 3h8l5 5v13H6zM13 3v6h6',
} as const

export type IconName = keyof typeof PATHS

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  )
}
