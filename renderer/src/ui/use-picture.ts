import { useEffect, useRef, useState } from 'react'
import { type QueueSlot, takeTurn } from './thumbnail-queue.ts'

/** Addresses of pictures that this window has loaded: the browser has them at hand. */
const loaded = new Set<string>()
const MAX_REMEMBERED_PICTURES = 2000

function rememberPicture(address: string): void {
  loaded.add(address)
  const [oldest] = loaded
  if (loaded.size > MAX_REMEMBERED_PICTURES && oldest !== undefined) loaded.delete(oldest)
}

interface PictureLoad {
  readonly address: string | undefined
  readonly state: 'waiting' | 'loading' | 'loaded' | 'failed'
}

/**
 * Loads a picture in its turn, once it is in sight; `src` is undefined until then.
 * @param address undefined: there is no picture
 */
export function usePicture(address: string | undefined, isInSight: boolean) {
  const [known, setKnown] = useState<PictureLoad>({ address: undefined, state: 'waiting' })
  const initialState = address !== undefined && loaded.has(address) ? 'loaded' : 'waiting'
  const state = known.address === address ? known.state : initialState
  const turn = useRef<QueueSlot>(undefined)
  const isWaiting = isInSight && address !== undefined && state === 'waiting'
  useEffect(() => {
    if (!isWaiting) return
    turn.current = takeTurn(() => setKnown({ address, state: 'loading' }))
    return () => turn.current?.leave()
  }, [address, isWaiting])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the picture of another address has another turn
  useEffect(() => () => turn.current?.end(), [address])
  const end = (how: 'loaded' | 'failed') => {
    turn.current?.end()
    if (how === 'loaded' && address !== undefined) rememberPicture(address)
    setKnown({ address, state: how })
  }
  return {
    src: state === 'loading' || state === 'loaded' ? address : undefined,
    hasFailed: state === 'failed',
    onLoad: () => end('loaded'),
    onError: () => end('failed'),
  }
}
