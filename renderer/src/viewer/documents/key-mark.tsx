import { IconStarFilled } from '@tabler/icons-react'
import type { PaneState } from '../engine/pane.ts'
import css from './key-image-list.module.css'
import { selectionsOf } from './key-images.ts'
import { useKeyImages } from './use-key-images.ts'

/** Says on an image which key object selections refer to it. */
export function KeyMark({ state }: { state: PaneState }) {
  const keys = useKeyImages()
  const selections = state.image ? selectionsOf(keys, state.image) : []
  if (selections.length === 0) return null
  return (
    <span
      className={css.mark}
      data-rejected={selections.some(({ isRejection }) => isRejection) || undefined}
    >
      <IconStarFilled size={12} aria-hidden />
      {[...new Set(selections.map(({ title }) => title))].join(', ')}
    </span>
  )
}
