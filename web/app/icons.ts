// The icons of the menu and of buttons: lines in a square of 24 units.
import { html, type VNode } from '../lib/html.ts'

const lines = {
  bell: 'M6 16V11a6 6 0 0 1 12 0v5l2 2H4zM10 21h4',
  bookmark: 'M6 3h12v18l-6-4-6 4z',
  circles: 'M9 14a5 5 0 1 1 0-10a5 5 0 0 1 0 10zM15 20a5 5 0 1 1 0-10a5 5 0 0 1 0 10z',
  dots: 'M5 12h.01M12 12h.01M19 12h.01',
  groups:
    'M9 11a3.5 3.5 0 1 1 0-7a3.5 3.5 0 0 1 0 7zM2 20a7 7 0 0 1 14 0M16 4.5a3.5 3.5 0 0 1 0 6.2M18 14a7 7 0 0 1 4 6',
  heart: 'M12 20L4 12a5 5 0 0 1 8-6 5 5 0 0 1 8 6z',
  home: 'M3 11l9-8 9 8M5 10v11h5v-6h4v6h5V10',
  message: 'M4 4h16v12H9l-5 4z',
  more: 'M4 6h16M4 12h16M4 18h16',
  person: 'M12 12a4 4 0 1 1 0-8a4 4 0 0 1 0 8zM4 21a8 8 0 0 1 16 0',
  repost: 'M4 8h13l-3-3M20 16H7l3 3',
  search: 'M10.5 18a7.5 7.5 0 1 1 0-15a7.5 7.5 0 0 1 0 15zM16 16l5 5',
  settings: 'M4 7h9M17 7h3M4 17h3M11 17h9M15 4v6M9 14v6',
  spark: 'M12 3l2.5 6.5L21 12l-6.5 2.5L12 21l-2.5-6.5L3 12l6.5-2.5z',
  tag: 'M3 3h9l9 9-9 9-9-9zM8 8h.01',
  wallet: 'M3 6h16v14H3zM3 6l12-3v3M21 11h-6v4h6z',
  write: 'M4 20l1-5L16 4l4 4L9 19zM14 6l4 4',
}
export type Icon = keyof typeof lines

/** A picture beside words that say the same, so screen readers skip it. */
export const IconOf = ({ name }: { name: Icon }): VNode =>
  html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d=${lines[name]} /></svg>` as VNode
