import { Button, Group, Modal, Text } from '@mantine/core'
import type { Draft } from '#shared/contract/reports.ts'
import { useZone } from '../../api/status.ts'
import { clockText } from '../../format/dates.ts'
import { t } from '../../i18n/t.ts'
import { Copy } from '../../ui/copy.tsx'
import { comparedLines } from './lines.ts'
import css from './reports.module.css'

/** Two texts were made of one: a person chooses, with both before them. */
export function ConflictDialog(props: {
  mine: string
  theirs: Draft
  onMine: () => void
  onTheirs: () => void
  onClose: () => void
}) {
  const { mine, theirs, onMine, onTheirs, onClose } = props
  const zone = useZone()
  return (
    <Modal opened onClose={onClose} title={t('ui.reports.conflict.title')} size="min(1180px, 94vw)">
      <Text mb={12}>{t('ui.reports.conflict.text')}</Text>
      <div className={css.sides}>
        <ConflictVersion
          title={t('ui.reports.conflict.mine')}
          text={mine}
          other={theirs.text}
          copies={t('ui.reports.conflict.copyMine')}
        />
        <ConflictVersion
          title={t('ui.reports.conflict.theirs', {
            name: theirs.savedBy.name,
            clock: clockText(theirs.savedAt, zone, new Date()),
          })}
          text={theirs.text}
          other={mine}
          copies={t('ui.reports.conflict.copyTheirs')}
        />
      </div>
      <Group justify="flex-end" mt={16}>
        <Button variant="default" onClick={onTheirs}>
          {t('ui.reports.conflict.takeTheirs')}
        </Button>
        <Button onClick={onMine} data-autofocus>
          {t('ui.reports.conflict.keepMine')}
        </Button>
      </Group>
    </Modal>
  )
}

function ConflictVersion({
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
        {comparedLines(text, other).map(({ line, at, isOwn }) => (
          <div key={at} className={isOwn ? css.ownLine : undefined}>
            {line || '\u00a0'}
          </div>
        ))}
      </div>
    </section>
  )
}
