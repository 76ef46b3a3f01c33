import { t } from '../i18n/t.ts'
import type { ListState } from './engine/stack.ts'

/** How far the list has come, in one phrase. */
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
