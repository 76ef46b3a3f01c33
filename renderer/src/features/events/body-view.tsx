import { ActionIcon, Group, Tooltip } from '@mantine/core'
import { IconTextWrap } from '@tabler/icons-react'
import { type ReactNode, useMemo, useState } from 'react'
import { prettyJson } from '../../format/json-text.ts'
import { t } from '../../i18n/t.ts'
import { Copy } from '../../ui/copy.tsx'
import css from './events.module.css'

const MOST = 60_000

/** A body, its JSON laid out; long lines wrap or not. `what` names it. */
export function BodyView({ text, what, aside }: { text: string; what: string; aside?: ReactNode }) {
  const [isWrapped, setIsWrapped] = useState(true)
  const whole = useMemo(() => prettyJson(text), [text])
  const more = whole.length - MOST
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
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll region is reached by the keyboard (WCAG 2.1.1) */}
      <section className={css.bodyText} tabIndex={0} aria-label={what}>
        <pre className={isWrapped ? css.wrapped : ''}>{whole.slice(0, MOST)}</pre>
      </section>
      {more > 0 && <div className={css.bodyHead}>{t('ui.events.beginning', { more })}</div>}
    </div>
  )
}
