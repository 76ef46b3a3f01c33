import { Tag } from '../components/tone.tsx'
import { useLive } from '../live.ts'
import { words } from './words.ts'

/** Whether changes arrive by themselves. */
export function LiveSign() {
  const { isOpen } = useLive()
  return isOpen ? (
    <Tag tone="good" meaning={words.liveMeaning}>
      {words.live}
    </Tag>
  ) : (
    <Tag tone="warning" meaning={words.pollingMeaning}>
      {words.polling}
    </Tag>
  )
}
