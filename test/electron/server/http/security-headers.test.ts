import { expect, it } from 'vitest'
import { securityHeaders } from '#server/http/security-headers.ts'

const OTHERS = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-permitted-cross-domain-policies': 'none',
  'x-xss-protection': '0',
}

const NOTHING_ELSE = 'camera=(), geolocation=(), display-capture=(), usb=(), serial=(), hid=()'

it('are these, on every answer', async () => {
  expect((await securityHeaders()).window).toEqual({
    ...OTHERS,
    'content-security-policy':
      "default-src 'self';script-src 'self';script-src-attr 'none';style-src 'self' 'unsafe-inline';img-src 'self' data: blob:;" +
      "font-src 'self' data:;connect-src 'self';frame-src 'self';worker-src 'self' blob:;object-src 'none';base-uri 'none';" +
      "form-action 'self';frame-ancestors 'none'",
    'permissions-policy': `microphone=(self), ${NOTHING_ELSE}`,
    'x-frame-options': 'DENY',
  })
})

it('let the page of the viewer run WebAssembly, play media of the gateway, and be framed by the window alone', async () => {
  expect((await securityHeaders()).viewer).toEqual({
    ...OTHERS,
    'content-security-policy':
      "default-src 'self';script-src 'self' 'wasm-unsafe-eval';script-src-attr 'none';style-src 'self' 'unsafe-inline';" +
      "img-src 'self' data: blob:;font-src 'self' data:;connect-src 'self';frame-src 'self';worker-src 'self' blob:;object-src 'none';" +
      "base-uri 'none';form-action 'self';frame-ancestors 'self';media-src 'self'",
    'permissions-policy': `microphone=(), ${NOTHING_ELSE}`,
    'x-frame-options': 'SAMEORIGIN',
  })
})
