import { errorReference } from '../format/error-reference.ts'
import { t } from '../i18n/t.ts'
import { copyText } from './copy-text.ts'

/**
 * Shows in place of an empty page that its program could not be loaded. It is plain HTML, because
 * the components belong to what is missing.
 */
export function showStartFailure(error: unknown): void {
  const { id, text } = errorReference(error, new Date(), window.location.href)
  const heading = document.createElement('h1')
  heading.textContent = t('ui.common.notStarted')
  const main = document.createElement('main')
  main.style.cssText = 'padding: 32px; font-family: system-ui, sans-serif; line-height: 1.5'
  main.append(
    heading,
    paragraph(t('ui.common.notStartedText')),
    button(t('ui.shell.reload'), () => window.location.reload()),
    paragraph(t('ui.common.reference', { id })),
    button(t('ui.common.copy', { what: t('ui.common.referenceName') }), (pressed) => {
      void copyText(text).then((isCopied) => {
        if (isCopied) pressed.textContent = t('ui.common.copied')
      })
    }),
  )
  document.getElementById('root')?.replaceChildren(main)
}

function paragraph(text: string): HTMLElement {
  const element = document.createElement('p')
  element.textContent = text
  return element
}

function button(name: string, onPress: (pressed: HTMLElement) => void): HTMLElement {
  const element = document.createElement('button')
  element.type = 'button'
  element.textContent = name
  element.style.cssText = 'padding: 8px 14px; font: inherit'
  element.addEventListener('click', () => onPress(element))
  return element
}
