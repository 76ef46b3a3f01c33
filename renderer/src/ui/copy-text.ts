/**
 * Copies a text; resolves with whether it could be. A page without TLS on another PC has no
 * `navigator.clipboard`: there the text is selected and copied by the older command.
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copySelected(text)
  }
}

function copySelected(text: string): boolean {
  const focusedBefore = document.activeElement
  const area = document.createElement('textarea')
  area.value = text
  area.style.position = 'fixed'
  area.style.opacity = '0'
  // Within a dialog, which would take the focus back from anything outside of it.
  const container = focusedBefore?.closest('[role="dialog"]') ?? document.body
  container.append(area)
  area.select()
  const isCopied = document.execCommand('copy')
  area.remove()
  if (focusedBefore instanceof HTMLElement) focusedBefore.focus()
  return isCopied
}
