import { useEffect, useSyncExternalStore } from 'react'

let requests = 0
const listeners = new Set<() => void>()
const change = (by: number) => {
  requests += by
  for (const listener of listeners) listener()
}
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/**
 * A screen that wants all the width there is, such as one with images: the navigation shows its
 * signs only.
 */
export function useFullWidth(isWanted: boolean): void {
  useEffect(() => {
    if (!isWanted) return
    change(1)
    return () => change(-1)
  }, [isWanted])
}

export const useIsFullWidth = (): boolean => useSyncExternalStore(subscribe, () => requests > 0)
