import { ActionIcon, Tooltip } from '@mantine/core'
import type { Icon } from '@tabler/icons-react'
import { forwardRef, type ReactNode } from 'react'
import { t } from '../i18n/t.ts'
import { run } from './commands.ts'
import { type Command, keyText } from './key-map.ts'
import css from './toolbar.module.css'
import { useViewerContext } from './viewer-context.ts'

interface ButtonProps {
  readonly icon: Icon
  readonly label: string
  readonly keys?: string
  /** Said after the label, as a number that stands in the button. */
  readonly more?: string
  /** It can be on and off. */
  readonly isOn?: boolean
  /**
   * Why it does nothing now, in the language of the page; empty or absent where it does. Said on hover, so the button stays
   * reachable.
   */
  readonly whyNot?: string
  readonly onClick?: () => void
  readonly children?: ReactNode
}

/** A button of the tool bar. By mouse it does not take the focus: the keys stay with the images. */
export const ToolButton = forwardRef<HTMLButtonElement, ButtonProps>(
  function ToolButton(props, ref) {
    const {
      icon: Shape,
      label,
      keys = '',
      more,
      isOn,
      whyNot = '',
      onClick,
      children,
      ...rest
    } = props
    const isOpen = 'aria-expanded' in rest && rest['aria-expanded'] === true
    return (
      <Tooltip
        label={whyNot || (keys ? t('ui.viewer.toolbar.withKey', { label, keys }) : label)}
        openDelay={350}
        disabled={isOpen}
      >
        <ActionIcon
          {...rest}
          ref={ref}
          className={css.button ?? ''}
          aria-label={more ? `${label}, ${more}` : label}
          aria-pressed={isOn}
          aria-disabled={whyNot !== '' || undefined}
          data-on={isOn || undefined}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => whyNot === '' && onClick?.()}
        >
          <Shape size={19} stroke={1.7} aria-hidden />
          {children}
        </ActionIcon>
      </Tooltip>
    )
  },
)

/** A button for a command of the key map. */
export function CommandButton({
  command,
  ...rest
}: { command: Command } & Omit<ButtonProps, 'label' | 'keys' | 'onClick'>) {
  const viewerContext = useViewerContext()
  return (
    <ToolButton
      label={t(`ui.viewer.commands.${command}`)}
      keys={keyText(command)}
      onClick={() => run(command, viewerContext)}
      {...rest}
    />
  )
}
