import { ShownOnce } from '../components/shown-once.tsx'
import { words } from './words.ts'

/** A signing secret that was made here, shown once. */
export function NewSecret({ secret, onClose }: { secret: string | null; onClose: () => void }) {
  const { title, about, what, copied } = words.shown
  return (
    <ShownOnce
      value={secret}
      title={title}
      about={about}
      what={what}
      done={copied}
      onClose={onClose}
    />
  )
}
