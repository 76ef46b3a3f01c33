import {
  type ButtonHTMLAttributes,
  type ComponentType,
  cloneElement,
  type ReactElement,
  type RefAttributes,
  useEffect,
  useRef,
  useState,
} from 'react'
import { t } from '../i18n/t.ts'
import { showRefusal } from './refused.ts'

type Button = ReactElement<
  ButtonHTMLAttributes<HTMLButtonElement> & RefAttributes<HTMLButtonElement>
>

/** What a popup of Mantine is given: its state, and the button that it opens beside. */
export interface PopupProps {
  readonly opened: boolean
  readonly onChange: (opened: boolean) => void
  readonly children: Button
}

/**
 * A button that opens a menu or a small dialog, whose program is loaded when the button is first
 * pressed, if not before (decision 0079). Pressed while that is on its way, it opens once it is
 * there.
 * @param popup draws itself around the button
 * @param given what else it needs
 */
export function PopupButton<P extends object>(props: {
  kind: 'menu' | 'dialog'
  load: () => Promise<ComponentType<P & PopupProps>>
  given: P
  children: Button
}) {
  const { kind, load, given, children } = props
  const button = useRef<HTMLButtonElement>(null)
  const [Popup, setPopup] = useState<ComponentType<P & PopupProps> | null>(null)
  const [isOpen, setOpen] = useState(false)
  const [isLoading, setLoading] = useState(false)
  // The popup has a new button in the place of this one. It gets the focus before the popup opens,
  // so that the popup returns the focus to it.
  useEffect(() => {
    if (Popup === null) return
    button.current?.focus()
    setOpen(true)
  }, [Popup])
  const press = async () => {
    setLoading(true)
    try {
      const Loaded = await load()
      setPopup(() => Loaded)
    } catch {
      showRefusal(t('ui.common.cutOff'))
    } finally {
      setLoading(false)
    }
  }
  if (Popup)
    return (
      <Popup {...given} opened={isOpen} onChange={setOpen}>
        {cloneElement(children, { ref: button })}
      </Popup>
    )
  return cloneElement(children, {
    ref: button,
    'aria-haspopup': kind,
    'aria-expanded': false,
    ...(isLoading && { 'aria-busy': true }),
    onClick: () => void press(),
  })
}
