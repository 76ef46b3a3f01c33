import type { TooltipProps } from '@mantine/core'
import {
  type ComponentType,
  cloneElement,
  type FocusEvent,
  type HTMLAttributes,
  type KeyboardEvent,
  type ReactElement,
  type RefAttributes,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { loadLater } from './load-later.ts'

let LoadedTooltip: ComponentType<TooltipProps> | null = null
let isWanted = false
const listeners = new Set<() => void>()
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

async function loadOnce(): Promise<void> {
  if (isWanted) return
  isWanted = true
  LoadedTooltip = (await loadLater(() => import('./tooltip-drawn.ts'))).Tooltip
  for (const listener of listeners) listener()
}

type Child = ReactElement<HTMLAttributes<HTMLElement> & RefAttributes<HTMLElement>>

/**
 * Mantine's tooltip, for what is on the first screen: it is loaded once that can be used, and until
 * then the browser shows the label. The child is the same element before and after, so that it
 * keeps the focus.
 * @param isOnFocus also shown while the child has the focus
 */
export function Tooltip(props: {
  label: string
  isOnFocus?: boolean
  disabled?: boolean
  position?: 'top' | 'right'
  children: Child
}) {
  const { label, isOnFocus = false, disabled = false, position = 'top', children } = props
  const target = useRef<HTMLElement>(null)
  const [isFocused, setFocused] = useState(false)
  const Loaded = useSyncExternalStore(subscribe, () => LoadedTooltip)
  useEffect(() => void loadOnce(), [])
  return (
    <>
      {cloneElement(children, {
        ref: target,
        ...(!Loaded && !disabled && { title: label }),
        ...(isOnFocus && {
          onFocus: ({ currentTarget }: FocusEvent<HTMLElement>) =>
            setFocused(currentTarget.matches(':focus-visible')),
          onBlur: () => setFocused(false),
          onKeyDown: ({ key }: KeyboardEvent) => key === 'Escape' && setFocused(false),
        }),
      })}
      {Loaded && !disabled && (
        <Loaded
          label={label}
          position={position}
          target={target}
          {...(isFocused && { opened: true })}
        />
      )}
    </>
  )
}
