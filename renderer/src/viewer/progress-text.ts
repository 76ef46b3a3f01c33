import type { ListState } from './engine/stack.ts'
import { words } from './words.ts'

const { progress: texts } = words

/** How far the list has come, in one phrase. */
export function progressText({ state, read, files }: ListState['progress']): string {
  if (state === 'asking') return texts.asking
  if (state === 'loading') return files === 0 ? texts.listing : texts.loading(read, files)
  return read < files ? texts.some(read, files) : texts.done(files)
}
