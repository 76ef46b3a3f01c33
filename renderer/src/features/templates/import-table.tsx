import { NativeSelect, Table } from '@mantine/core'
import type { Tone } from '../../format/tones.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t, textsOf } from '../../i18n/t.ts'
import { Tag } from '../../ui/tone.tsx'
import { CHOICES, type Choice, type ImportVerdict, type PlannedImport } from './import-plan.ts'
import css from './templates.module.css'
import type { Outcome, TemplateImport } from './use-import.ts'

const COLUMNS = textsOf('ui.templates.importing.columns', 'name', 'standing', 'choice')
const TONES: Readonly<Record<ImportVerdict, Tone>> = {
  ...{
    new: 'good',
    same: 'plain',
    name: 'warning',
    shortcut: 'warning',
    both: 'warning',
    repeated: 'warning',
    faulty: 'danger',
  },
}

/** The entries of the file: how each meets what is there, and what is done about it. */
export function ImportTable({
  importing: { plan, choiceOf, choose, outcomes, isRunning },
}: {
  importing: TemplateImport
}) {
  return (
    <Table.ScrollContainer minWidth={560} className={css.plan}>
      <Table horizontalSpacing={10} verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            {Object.values(COLUMNS).map((name) => (
              <Table.Th key={name}>{name}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {plan.map((one) => (
            <Row
              key={one.at}
              planned={one}
              choice={choiceOf(one)}
              outcome={outcomes.get(one.at)}
              isRunning={isRunning}
              onChoose={(choice) => choose(one, choice)}
            />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

function Row(props: {
  planned: PlannedImport
  choice: Choice
  outcome: Outcome | undefined
  isRunning: boolean
  onChoose: (choice: Choice) => void
}) {
  const { planned, choice, outcome, isRunning, onChoose } = props
  const { at, entry, standing } = planned
  const choices = CHOICES[standing]
  const name =
    'template' in entry
      ? entry.template.name
      : entry.name || t('ui.templates.importing.entry', { at })
  return (
    <Table.Tr>
      <Table.Td>
        <b>{name}</b>{' '}
        {'template' in entry && (
          <span className={css.quiet}>
            {t(`ui.templates.kinds.${entry.template.kind}`)}
            {entry.template.shortcut !== null && (
              <>
                {' '}
                <span className="mono">{entry.template.shortcut}</span>
              </>
            )}
          </span>
        )}
      </Table.Td>
      <Table.Td>
        <Tag tone={TONES[standing]} meaning={t(`ui.templates.importing.meanings.${standing}`)}>
          {t(`ui.templates.importing.standings.${standing}`)}
        </Tag>
        {'fault' in entry && (
          <div className={css.quiet}>
            {entry.fault.field !== '' && `${entry.fault.field}: `}
            {translateMessage(entry.fault.explanation)}
          </div>
        )}
      </Table.Td>
      <Table.Td>
        {outcome !== undefined ? (
          <ImportOutcome outcome={outcome} />
        ) : choices.length === 1 || isRunning ? (
          <span className={css.quiet}>{t(`ui.templates.importing.choices.${choice}`)}</span>
        ) : (
          <NativeSelect
            size="xs"
            aria-label={t('ui.templates.importing.choiceOf', { name })}
            value={choice}
            onChange={(event) => onChoose(event.currentTarget.value as Choice)}
            data={choices.map((value) => ({
              value,
              label: t(`ui.templates.importing.choices.${value}`),
            }))}
          />
        )}
      </Table.Td>
    </Table.Tr>
  )
}

/** What became of an entry. */
function ImportOutcome({ outcome }: { outcome: Outcome }) {
  if (outcome === 'done') return <Tag tone="good">{t('ui.templates.importing.kept')}</Tag>
  return (
    <>
      <Tag tone="danger">{t('ui.templates.importing.notKept')}</Tag>
      <div className={css.quiet}>{outcome.fault}</div>
    </>
  )
}
