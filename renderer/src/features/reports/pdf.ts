import { desktopBridge } from '../../api/desktop.ts'

/**
 * Shows the PDF a signed link leads to: a browser in a tab of its own, the desktop app as a file,
 * since it opens no second window.
 */
export function showPdf(url: string, reportId: string): void {
  // The link is for the outside and may name another address of the gateway; its signature is of
  // the path.
  const { pathname, search } = new URL(url)
  if (!desktopBridge) return void window.open(pathname + search, '_blank', 'noopener')
  const link = document.createElement('a')
  link.href = pathname + search
  link.download = `${reportId}.pdf`
  link.click()
}
