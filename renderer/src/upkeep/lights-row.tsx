import { Button, Tooltip } from '@mantine/core'
import type { ReactNode } from 'react'
import type { UpkeepState } from '#shared/contract/dashboard-upkeep.ts'
import { Ago, Clock } from '../components/clock.tsx'
import { Facts, Panel } from '../components/page.tsx'
import { ToneIcon } from '../components/tone.tsx'
import { durationText } from '../display/amounts.ts'
import type { Tone } from '../display/tones.ts'
import { said } from '../language/said.ts'
import {
  BACKUP_TONES,
  backupLight,
  REHEARSAL_TONES,
  rehearsalLight,
  STANDBY_TONES,
  standbyLight,
} from './lights.ts'
import css from './upkeep.module.css'
import { words } from './words.ts'

/** Whether back-ups are made as planned. */
export function BackupPanel({ state }: { state: UpkeepState }) {
  const { folder, place, fault, last, nextAt, backups } = state
  const texts = words.last
  const light = backupLight(state, Date.now())
  const sentence = {
    ...{
      fault: fault ? said(fault) : '',
      noFolder: texts.noFolderText,
      byHand: texts.byHandText,
      running: '',
      none: '',
      old: '',
      fine: '',
    },
    ...{
      unplanned: `${texts.unplannedText}${place === 'same-disk' ? ` ${texts.sameDiskText}` : ''}`,
      sameDisk: texts.sameDiskText,
    },
    failed: last ? said(last.sentence) : '',
  }[light]
  const newest = backups[0]
  return (
    <Light tone={BACKUP_TONES[light]} name={texts.title} title={texts[light]} sentence={sentence}>
      {folder !== null && (
        <Facts
          facts={[
            ...(newest
              ? ([
                  [texts.newest, <Ago key="newest" instant={newest.madeAt} />],
                  [texts.made, words.list.kinds[newest.kind]],
                  [texts.holds, texts.database],
                  ...(place ? ([[texts.place, texts.places[place]]] as const) : []),
                ] as const)
              : []),
            [texts.next, nextAt === null ? texts.never : <Clock key="next" instant={nextAt} />],
          ]}
        />
      )}
    </Light>
  )
}

/** Whether the newest back-up was tried, and opened. */
export function RehearsalPanel({
  state,
  isAsked,
  onTry,
}: {
  state: UpkeepState
  isAsked: boolean
  onTry: () => void
}) {
  const { rehearsal, running, backups } = state
  const texts = words.rehearsal
  const light = rehearsalLight(state)
  const { last, dueAt } = rehearsal
  return (
    <Light
      tone={REHEARSAL_TONES[light]}
      name={texts.title}
      title={texts[light]}
      sentence={
        last && light !== 'running' ? said(last.sentence) : light === 'never' ? texts.neverText : ''
      }
      foot={
        <Button
          variant="default"
          size="xs"
          loading={isAsked || running?.phase === 'rehearsing'}
          disabled={backups.length === 0 || running !== null}
          onClick={onTry}
        >
          {texts.now}
        </Button>
      }
    >
      <Facts
        facts={[
          ...(last
            ? ([
                [texts.tried, <Ago key="tried" instant={last.at} />],
                [texts.took, durationText(last.tookMs)],
              ] as const)
            : []),
          [texts.due, dueAt === null ? texts.none : <Clock key="due" instant={dueAt} />],
        ]}
      />
    </Light>
  )
}

/** What a copy elsewhere has. */
export function StandbyPanel({ state }: { state: UpkeepState }) {
  const texts = words.standby
  const light = standbyLight(state, Date.now())
  const { standby } = state
  return (
    <Light
      tone={STANDBY_TONES[light]}
      name={texts.title}
      title={texts[light]}
      sentence={standby ? texts.pointMeaning : texts.noneText}
    >
      {standby && (
        <Facts
          facts={[
            [
              texts.point,
              standby.recoveryPoint === null ? (
                texts.never
              ) : (
                <Tooltip key="point" label={texts.pointMeaning}>
                  <b>
                    <Clock instant={standby.recoveryPoint} />
                  </b>
                </Tooltip>
              ),
            ],
            [
              texts.copied,
              standby.copiedAt === null ? (
                texts.never
              ) : (
                <Ago key="copied" instant={standby.copiedAt} />
              ),
            ],
            [
              texts.to,
              <span key="to" className="mono">
                {standby.to}
              </span>,
            ],
          ]}
        />
      )}
    </Light>
  )
}

function Light(props: {
  tone: Tone
  name: string
  title: string
  sentence: string
  foot?: ReactNode
  children?: ReactNode
}) {
  const { tone, name, title, sentence, foot, children } = props
  return (
    <Panel className={css.light}>
      <div className={css.lightHead}>
        <span className={css.sign} data-tone={tone}>
          <ToneIcon tone={tone} size={22} />
        </span>
        <div>
          <div className={css.lightName}>{name}</div>
          <h2 className={css.lightTitle}>{title}</h2>
        </div>
      </div>
      {sentence && <div className={css.sentence}>{sentence}</div>}
      {children}
      {foot && <div className={css.lightFoot}>{foot}</div>}
    </Panel>
  )
}
