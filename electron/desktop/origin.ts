/** Whether a URL belongs to the gateway's origin. */
export function isOf(origin: string, url: string): boolean {
  return URL.canParse(url) && new URL(url).origin === new URL(origin).origin
}

/** Whether it is the viewer's page there. */
export function isViewer(origin: string, url: string): boolean {
  return isOf(origin, url) && new URL(url).pathname === '/viewer'
}
