import { Button, Group, Modal, Progress, Radio, Stack, Switch, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { WindowStudy } from '#shared/contract/dashboard-studies.ts'
import { SEVERITIES, type Severity } from '#shared/contract/values.ts'
import type { UserId } from '#shared/ids.ts'
import { MayButton } from '../components/allowed.tsx'
import { PersonName } from '../components/person-name.tsx'
import { Tag } from '../components/tone.tsx'
import type { Tone } from '../display/tones.ts'
import { keyOf } from '../gateway.ts'
import { said } from '../language/said.ts'
import { PersonPicker } from '../lists/pickers.tsx'
import { examText } from '../lists/study-columns.tsx'
import { LIST_CHANGES } from '../lists/use-study-list.ts'
import { words as listWords } from '../lists/words.ts'
import { type BulkResult, type BulkState, runBulk } from './bulk-run.ts'
import css from './studies.module.css'
import { type Change, inverse, make } from './use-study-actions.ts'
import { words } from './words.ts'

const { bulk: texts } = words
type Kind = 'assign' | 'severity' | 'cancel' | 'uncancel'
const TONES: Readonly<Record<BulkState, Tone>> = { waiting: 'plain', done: 'good', failed: 'danger', stopped: 'plain', undone: 'plain' }

/** What can be done with all selected studies. */
export function BulkBar(props: { selected: readonly WindowStudy[]; loaded: number; onAll: () => void; onClear: () => void }) {
  const { selected, loaded, onAll, onClear } = props
  const [asking, setAsking] = useState<Kind | null>(null)
  // The rows may leave the list while they are changed: what was selected is held until all is done.
  const [held, setHeld] = useState<readonly WindowStudy[]>([])
  const begin = (kind: Kind) => {
    setHeld(selected)
    setAsking(kind)
  }
  const allAreCancelled = selected.every((study) => study.isCancelled)
  const kinds: readonly Kind[] = ['assign', 'severity', allAreCancelled ? 'uncancel' : 'cancel']
  return (
    <>
      {selected.length > 0 && (
        <div className={css.bulk} role="toolbar" aria-label={texts.selected(selected.length)}>
          <b aria-live="polite">{texts.selected(selected.length)}</b>
          {kinds.map((kind) => (
            <MayButton key={kind} permission="manageStudies" size="xs" variant="default" onClick={() => begin(kind)}>
              {texts[kind]}
            </MayButton>
          ))}
          {selected.length < loaded && (
            <Button size="compact-sm" variant="subtle" onClick={onAll}>
              {texts.all(loaded)}
            </Button>
          )}
          <Button size="compact-sm" variant="subtle" color="gray" onClick={onClear}>
            {texts.clear}
          </Button>
        </div>
      )}
      {asking !== null && (
        <BulkDialog
          kind={asking}
          studies={held}
          onClose={(isDone) => {
            setAsking(null)
            if (isDone) onClear()
          }}
        />
      )}
    </>
  )
}

function BulkDialog({ kind, studies, onClose }: { kind: Kind; studies: readonly WindowStudy[]; onClose: (isDone: boolean) => void }) {
  const client = useQueryClient()
  const [person, setPerson] = useState<{ readonly id: UserId; readonly name: string } | null>(null)
  const [isToNobody, setIsToNobody] = useState(false)
  const [severity, setSeverity] = useState<Severity>('high')
  const [results, setResults] = useState<readonly BulkResult[]>([])
  const [isRunning, setIsRunning] = useState(false)
  const stop = useRef(new AbortController())
  const byId = new Map<string, WindowStudy>(studies.map((study) => [study.studyId, study]))
  const change: Change | null =
    kind === 'severity'
      ? { kind, to: severity }
      : kind === 'assign'
        ? isToNobody
          ? { kind, to: null }
          : person && { kind, to: { userId: person.id, name: person.name } }
        : { kind: 'cancel', to: kind === 'cancel' }

  const run = async (
    ids: readonly string[],
    of: (study: WindowStudy) => Change,
    merge: (now: readonly BulkResult[]) => readonly BulkResult[],
  ) => {
    stop.current = new AbortController()
    setIsRunning(true)
    await runBulk(
      ids,
      (id) => {
        const study = byId.get(id)
        return study ? make(study, of(study)) : Promise.resolve()
      },
      { signal: stop.current.signal, onResult: (now) => setResults(merge(now)) },
    )
    setIsRunning(false)
    for (const changed of LIST_CHANGES) void client.invalidateQueries({ queryKey: keyOf(changed) })
  }
  const begin = () =>
    change &&
    void run(
      studies.map(({ studyId }) => studyId),
      () => change,
      (now) => now,
    )
  const done = results.filter(({ state }) => state === 'done')
  const undo = () => {
    const before = results
    void run(
      done.map(({ id }) => id),
      (study) => (change ? inverse(study, change) : { kind: 'severity', to: study.severity }),
      (now) =>
        before.map((result) => {
          const undone = now.find(({ id }) => id === result.id)
          if (!undone || undone.state === 'waiting' || undone.state === 'stopped') return result
          return undone.state === 'done' ? { ...undone, state: 'undone' as const } : undone
        }),
    )
  }
  const finished = results.filter(({ state }) => state !== 'waiting').length
  const failed = results.filter(({ state }) => state === 'failed').length
  const hasBegun = results.length > 0
  return (
    <Modal
      opened
      onClose={() => onClose(hasBegun)}
      title={texts.titles[kind](studies.length)}
      size="lg"
      closeOnEscape={!isRunning}
      closeOnClickOutside={!isRunning}
      withCloseButton={!isRunning}
    >
      <Stack>
        {!hasBegun && kind === 'assign' && (
          <>
            <PersonPicker area={studies[0]?.area ?? 'scribe'} label={texts.to} value={person} onChange={setPerson} />
            <Switch label={texts.toNobody} checked={isToNobody} onChange={(event) => setIsToNobody(event.currentTarget.checked)} />
          </>
        )}
        {!hasBegun && kind === 'severity' && (
          <Radio.Group
            label={words.actions.severity}
            value={severity}
            onChange={(next) => setSeverity(SEVERITIES.find((one) => one === next) ?? 'normal')}
          >
            <Group mt={6}>
              {[...SEVERITIES].reverse().map((one) => (
                <Radio key={one} value={one} label={listWords.severities[one][0]} />
              ))}
            </Group>
          </Radio.Group>
        )}
        {!hasBegun && kind === 'cancel' && <Text>{texts.cancelText}</Text>}
        {!hasBegun && kind === 'uncancel' && <Text>{texts.uncancelText}</Text>}
        {hasBegun && (
          <>
            <Progress
              value={(finished / results.length) * 100}
              aria-label={texts.progress(finished, results.length)}
              {...(failed > 0 && { color: 'red' })}
            />
            <Text size="sm" role="status">
              {isRunning ? texts.progress(finished, results.length) : texts.summary(done.length, failed)}
            </Text>
            <ul className={css.results} aria-label={texts.results}>
              {results.map(({ id, state, fault }) => {
                const study = byId.get(id)
                return (
                  <li key={id}>
                    <Tag tone={TONES[state]}>{texts.states[state]}</Tag>
                    <span>
                      {study?.patientName ? <PersonName value={study.patientName} /> : listWords.noName}{' '}
                      <span className={css.quiet}>{study && examText(study)}</span>
                      {fault && <div className={css.fault}>{said(fault)}</div>}
                    </span>
                  </li>
                )
              })}
            </ul>
          </>
        )}
        <Group justify="flex-end">
          {isRunning && (
            <Button variant="default" onClick={() => stop.current.abort()}>
              {texts.stop}
            </Button>
          )}
          {hasBegun && !isRunning && done.length > 0 && (
            <Button variant="default" onClick={undo}>
              {texts.undo}
            </Button>
          )}
          {!isRunning && (
            <Button variant={hasBegun ? 'filled' : 'default'} onClick={() => onClose(hasBegun)}>
              {hasBegun ? texts.close : texts.back}
            </Button>
          )}
          {!hasBegun && (
            <Button {...(kind === 'cancel' && { color: 'red' })} disabled={change === null} onClick={begin}>
              {texts.go}
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  )
}
