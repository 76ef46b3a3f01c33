import { ActionIcon, Button, Group, Tooltip } from '@mantine/core'
import { IconTextWrap } from '@tabler/icons-react'
import { type ReactNode, useMemo, useState } from 'react'
import { prettyJson } from '../../format/json-text.ts'
import { t } from '../../i18n/t.ts'
import { Copy } from '../../ui/copy.tsx'
import css from './events.module.css'

const MAX_SHOWN_CHARACTERS = 60_000
/** What is shown of a longer body until all of it is wanted. */
const FIRST_LINES = 22
const FIRST_CHARACTERS = 2400

/**
 * A body, its JSON laid out; long lines wrap or not, and of a long one the beginning until all of it
 * is asked for. `what` names it.
 */
export function BodyView({ text, what, aside }: { text: string; what: string; aside?: ReactNode }) {
  const [isWrapped, setIsWrapped] = useState(true)
  const whole = useMemo(() => prettyJson(text), [text])
  const more = whole.length - MAX_SHOWN_CHARACTERS
  const lines = useMemo(() => whole.split('\n').length, [whole])
  const isLong = lines > FIRST_LINES || whole.length > FIRST_CHARACTERS
  const [isAll, setIsAll] = useState(false)
  return (
    <div className={css.body}>
      <div className={css.bodyHead}>
        <span>{aside ?? what}</span>
        <Group gap={6} wrap="nowrap">
          <Tooltip label={t('ui.events.wrap')}>
            <ActionIcon
              size="sm"
              aria-label={t('ui.events.wrap')}
              aria-pressed={isWrapped}
              onClick={() => setIsWrapped(!isWrapped)}
            >
              <IconTextWrap size={15} />
            </ActionIcon>
          </Tooltip>
          <Copy value={whole} what={what} />
        </Group>
      </div>
      <section
        className={css.bodyText}
        data-cut={(isLong && !isAll) || undefined}
        aria-label={what}
      >
        <pre className={isWrapped ? css.wrapped : ''}>{whole.slice(0, MAX_SHOWN_CHARACTERS)}</pre>
      </section>
      {isLong && (
        <Button
          variant="subtle"
          size="compact-sm"
          aria-expanded={isAll}
          onClick={() => setIsAll(!isAll)}
        >
          {isAll ? t('ui.events.showBeginning') : t('ui.events.showAll', { lines })}
        </Button>
      )}
      {isAll && more > 0 && (
        <div className={css.bodyHead}>{t('ui.events.beginning', { more })}</div>
      )}
    </div>
  )
}
