import { Button, Group, Modal, NativeSelect, SegmentedControl, Stack, Table } from '@mantine/core'
import { useState } from 'react'
import { dashboardReports, type ReportTemplate } from '#shared/contract/reports.ts'
import type { ProblemError } from '../client.ts'
import { useMay } from '../components/allowed.tsx'
import { Tag } from '../components/tone.tsx'
import { showDone } from '../components/undo.tsx'
import type { Tone } from '../display/tones.ts'
import { useSend } from '../gateway.ts'
import { said } from '../language/said.ts'
import { useSession } from '../session.ts'
import { CHOICES, type Choice, type Planned, planOf, type Standing, sendingOf } from './import-plan.ts'
import type { FileEntry } from './template-file.ts'
import css from './templates.module.css'
import { words } from './words.ts'

const { importing: texts } = words
const TONES: Readonly<Record<Standing, Tone>> = {
  ...{ new: 'good', same: 'plain', name: 'warning', shortcut: 'warning', both: 'warning', repeated: 'warning', faulty: 'danger' },
}
type Outcome = 'done' | { readonly fault: string }

/** What a file would add and what clashes with what is there; then, entry by entry, what became of it. */
export function ImportDialog(props: { entries: readonly FileEntry[]; templates: readonly ReportTemplate[]; onClose: () => void }) {
  const { entries, templates, onClose } = props
  const me = useSession().data?.user?.userId
  const isManager = useMay('manageGateway').may
  const [whose, setWhose] = useState<'mine' | 'everybody'>('mine')
  const [chosen, setChosen] = useState<ReadonlyMap<number, Choice>>(new Map())
  // The plan stands while it is carried out, though the list it was made of changes.
  const [running, setRunning] = useState<readonly Planned[] | null>(null)
  const [outcomes, setOutcomes] = useState<ReadonlyMap<number, Outcome>>(new Map())
  const [isOver, setIsOver] = useState(false)
  const add = useSend(dashboardReports.addTemplate, [dashboardReports.templates])
  const change = useSend(dashboardReports.changeTemplate, [dashboardReports.templates])

  const owned = templates.filter(({ owner }) => (whose === 'mine' ? owner?.userId === me : owner === null))
  const plan = running ?? planOf(entries, owned)
  const choiceOf = ({ at, standing }: Planned): Choice => {
    const wanted = chosen.get(at)
    return wanted !== undefined && CHOICES[standing].includes(wanted) ? wanted : (CHOICES[standing][0] ?? 'leave')
  }
  const count = (...choices: readonly Choice[]) => plan.filter((one) => choices.includes(choiceOf(one))).length
  const added = count('add', 'plain')
  const replaced = count('replace')
  const clashing = plan.filter(({ standing }) => CHOICES[standing][0] === 'leave' && CHOICES[standing].length > 1)
  const takeAll = () => setChosen(new Map(clashing.map(({ at, standing }) => [at, CHOICES[standing][1] ?? 'leave'])))

  async function run() {
    setRunning(plan)
    let kept = 0
    for (const one of plan) {
      const sending = sendingOf(one, choiceOf(one))
      if (!sending) continue
      try {
        if ('add' in sending) await add.mutateAsync({ body: { ...sending.add, for: whose } })
        else await change.mutateAsync({ params: { templateId: sending.change.templateId }, body: sending.to })
        kept += 1
        setOutcomes((before) => new Map(before).set(one.at, 'done'))
      } catch (error) {
        setOutcomes((before) => new Map(before).set(one.at, { fault: said((error as ProblemError).message) }))
      }
    }
    setIsOver(true)
    showDone(texts.done(kept))
  }
  return (
    <Modal
      opened
      onClose={onClose}
      size={860}
      title={texts.title}
      closeOnClickOutside={false}
      withCloseButton={running === null || isOver}
      closeOnEscape={running === null || isOver}
    >
      <Stack>
        <Group justify="space-between">
          {isManager ? (
            <SegmentedControl
              size="xs"
              aria-label={texts.for}
              value={whose}
              onChange={(value) => {
                setWhose(value)
                setChosen(new Map())
              }}
              disabled={running !== null}
              data={[
                { value: 'mine', label: texts.forMine },
                { value: 'everybody', label: texts.forEverybody },
              ]}
            />
          ) : (
            <span className={css.quiet}>{texts.becomeMine}</span>
          )}
          {clashing.length > 0 && running === null && (
            <Button size="xs" variant="default" onClick={takeAll}>
              {texts.takeAll(clashing.length)}
            </Button>
          )}
        </Group>
        <Table.ScrollContainer minWidth={560} mah="52vh" className={css.plan}>
          <Table horizontalSpacing={10} verticalSpacing={6} stickyHeader>
            <Table.Thead>
              <Table.Tr>
                {Object.values(texts.columns).map((name) => (
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
                  isRunning={running !== null}
                  onChoose={(choice) => setChosen((before) => new Map(before).set(one.at, choice))}
                />
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
        <Group justify="space-between">
          <span className={css.quiet} aria-live="polite">
            {running === null
              ? texts.summary(added, replaced, plan.length - added - replaced)
              : texts.progress(outcomes.size, added + replaced)}
          </span>
          {isOver ? (
            <Button onClick={onClose}>{texts.close}</Button>
          ) : (
            <Group>
              <Button variant="default" disabled={running !== null} onClick={onClose}>
                {texts.cancel}
              </Button>
              <Button loading={running !== null} disabled={added + replaced === 0} onClick={() => void run()}>
                {texts.action(added + replaced)}
              </Button>
            </Group>
          )}
        </Group>
      </Stack>
    </Modal>
  )
}

function Row(props: {
  planned: Planned
  choice: Choice
  outcome: Outcome | undefined
  isRunning: boolean
  onChoose: (choice: Choice) => void
}) {
  const { planned, choice, outcome, isRunning, onChoose } = props
  const { at, entry, standing } = planned
  const choices = CHOICES[standing]
  const name = 'template' in entry ? entry.template.name : entry.name || texts.entry(at)
  return (
    <Table.Tr>
      <Table.Td>
        <b>{name}</b>{' '}
        {'template' in entry && (
          <span className={css.quiet}>
            {words.kinds[entry.template.kind]}
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
        <Tag tone={TONES[standing]} meaning={texts.meanings[standing]}>
          {texts.standings[standing]}
        </Tag>
        {'fault' in entry && (
          <div className={css.quiet}>
            {entry.fault.field !== '' && `${entry.fault.field}: `}
            {said(entry.fault.message)}
          </div>
        )}
      </Table.Td>
      <Table.Td>
        {outcome === undefined ? (
          choices.length === 1 || isRunning ? (
            <span className={css.quiet}>{texts.choices[choice]}</span>
          ) : (
            <NativeSelect
              size="xs"
              aria-label={texts.choiceOf(name)}
              value={choice}
              onChange={(event) => onChoose(event.currentTarget.value as Choice)}
              data={choices.map((value) => ({ value, label: texts.choices[value] }))}
            />
          )
        ) : outcome === 'done' ? (
          <Tag tone="good">{texts.kept}</Tag>
        ) : (
          <>
            <Tag tone="danger">{texts.notKept}</Tag>
            <div className={css.quiet}>{outcome.fault}</div>
          </>
        )}
      </Table.Td>
    </Table.Tr>
  )
}
