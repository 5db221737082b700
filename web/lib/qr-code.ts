import { html, useEffect, useSignal, type VNode } from './html.ts'

const QUIET = 4

/** A QR code, dark on light in dark mode too, because not every camera reads an inverted one. */
export function QrCode({ text, label }: { text: string; label: string }): VNode | null {
  const rows = useSignal<boolean[][]>([])
  useEffect(() => {
    // loaded only when a code is shown; without it the page still has the text
    import('uqr').then(
      ({ encode }) => {
        rows.value = encode(text, { border: QUIET }).data
      },
      () => undefined,
    )
  }, [text])
  const size = rows.value.length
  if (size === 0) return null
  const path = rows.value.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : []))).join('')
  return html`<svg class="qr-code" role="img" aria-label=${label} viewBox=${`0 0 ${size} ${size}`} shape-rendering="crispEdges">
    <rect width=${size} height=${size} />
    <path d=${path} />
  </svg>` as VNode
}
