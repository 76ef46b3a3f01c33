import { t } from '../i18n/t.ts'
import type { ListState } from './engine/stack.ts'

/**
 * How many of the listed files the gateway has received, in one phrase. That says nothing of what
 * the page has decoded (`decodedText`).
 */
export function progressText({ state, read, files }: ListState['progress']): string {
  if (state === 'asking') return t('ui.viewer.progress.asking')
  if (state === 'loading')
    return files === 0
      ? t('ui.viewer.progress.listing')
      : t('ui.viewer.progress.loading', { read, files })
  return read < files
    ? t('ui.viewer.progress.some', { read, files })
    : t('ui.viewer.progress.done', { files })
}

/** How many of the images the page has decoded; empty while none is listed. */
export function decodedText({ studies }: Pick<ListState, 'studies'>, decoded: number): string {
  let images = 0
  for (const { series } of studies)
    for (const { stack, missing } of series) images += stack.length - missing.size
  return images === 0
    ? ''
    : t('ui.viewer.progress.decoded', { decoded: Math.min(decoded, images), images })
}
