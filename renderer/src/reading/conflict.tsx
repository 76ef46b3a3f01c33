import { Button, Group, Modal, Text } from '@mantine/core'
import type { Draft } from '#shared/contract/reports.ts'
import { Copy } from '../components/copy.tsx'
import { clockText } from '../display/dates.ts'
import { t } from '../i18n/t.ts'
import { useZone } from '../status.ts'
import { markedLines } from './lines.ts'
import css from './reading.module.css'

/** Two texts were made of one: a person chooses, with both before them. */
export function Conflict(props: {
  mine: string
  theirs: Draft
  onMine: () => void
  onTheirs: () => void
  onClose: () => void
}) {
  const { mine, theirs, onMine, onTheirs, onClose } = props
  const zone = useZone()
  return (
    <Modal opened onClose={onClose} title={t('ui.reading.conflict.title')} size="min(1180px, 94vw)">
      <Text mb={12}>{t('ui.reading.conflict.text')}</Text>
      <div className={css.sides}>
        <Side
          title={t('ui.reading.conflict.mine')}
          text={mine}
          other={theirs.text}
          copies={t('ui.reading.conflict.copyMine')}
        />
        <Side
          title={t('ui.reading.conflict.theirs', {
            name: theirs.savedBy.name,
            clock: clockText(theirs.savedAt, zone, new Date()),
          })}
          text={theirs.text}
          other={mine}
          copies={t('ui.reading.conflict.copyTheirs')}
        />
      </div>
      <Group justify="flex-end" mt={16}>
        <Button variant="default" onClick={onTheirs}>
          {t('ui.reading.conflict.takeTheirs')}
        </Button>
        <Button onClick={onMine} data-autofocus>
          {t('ui.reading.conflict.keepMine')}
        </Button>
      </Group>
    </Modal>
  )
}

function Side({
  title,
  text,
  other,
  copies,
}: {
  title: string
  text: string
  other: string
  copies: string
}) {
  return (
    <section className={css.side} aria-label={title}>
      <Group justify="space-between">
        <h3 className={css.label}>{title}</h3>
        <Copy value={text} what={copies} />
      </Group>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll region is reached by the keyboard (WCAG 2.1.1) */}
      <div className={css.sideText} tabIndex={0}>
        {markedLines(text, other).map(({ line, at, isOwn }) => (
          <div key={at} className={isOwn ? css.ownLine : undefined}>
            {line || '\u00a0'}
          </div>
        ))}
      </div>
    </section>
  )
}
