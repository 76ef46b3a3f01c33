import { Button, Tooltip } from '@mantine/core'
import type { ReactNode } from 'react'
import type { UpkeepState } from '#shared/contract/dashboard-upkeep.ts'
import { Ago, Clock } from '../components/clock.tsx'
import { Facts, Panel } from '../components/page.tsx'
import { ToneIcon } from '../components/tone.tsx'
import { durationText } from '../display/amounts.ts'
import type { Tone } from '../display/tones.ts'
import { said } from '../i18n/said.ts'
import { t } from '../i18n/t.ts'
import {
  BACKUP_TONES,
  backupLight,
  REHEARSAL_TONES,
  rehearsalLight,
  STANDBY_TONES,
  standbyLight,
} from './lights.ts'
import css from './upkeep.module.css'

/** Whether back-ups are made as planned. */
export function BackupPanel({ state }: { state: UpkeepState }) {
  const { folder, place, fault, last, nextAt, backups } = state
  const light = backupLight(state, Date.now())
  const sentence = {
    ...{
      fault: fault ? said(fault) : '',
      noFolder: t('ui.upkeep.last.noFolderText'),
      byHand: t('ui.upkeep.last.byHandText'),
      running: '',
      none: '',
      old: '',
      fine: '',
    },
    ...{
      unplanned: `${t('ui.upkeep.last.unplannedText')}${place === 'same-disk' ? ` ${t('ui.upkeep.last.sameDiskText')}` : ''}`,
      sameDisk: t('ui.upkeep.last.sameDiskText'),
    },
    failed: last ? said(last.sentence) : '',
  }[light]
  const newest = backups[0]
  return (
    <Light
      tone={BACKUP_TONES[light]}
      name={t('ui.upkeep.last.title')}
      title={t(`ui.upkeep.last.${light}`)}
      sentence={sentence}
    >
      {folder !== null && (
        <Facts
          facts={[
            ...(newest
              ? ([
                  [t('ui.upkeep.last.newest'), <Ago key="newest" instant={newest.madeAt} />],
                  [t('ui.upkeep.last.made'), t(`ui.upkeep.list.kinds.${newest.kind}`)],
                  [t('ui.upkeep.last.holds'), t('ui.upkeep.last.database')],
                  ...(place
                    ? ([[t('ui.upkeep.last.place'), t(`ui.upkeep.last.places.${place}`)]] as const)
                    : []),
                ] as const)
              : []),
            [
              t('ui.upkeep.last.next'),
              nextAt === null ? t('ui.upkeep.last.never') : <Clock key="next" instant={nextAt} />,
            ],
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
  const light = rehearsalLight(state)
  const { last, dueAt } = rehearsal
  return (
    <Light
      tone={REHEARSAL_TONES[light]}
      name={t('ui.upkeep.rehearsal.title')}
      title={t(`ui.upkeep.rehearsal.${light}`)}
      sentence={
        last && light !== 'running'
          ? said(last.sentence)
          : light === 'never'
            ? t('ui.upkeep.rehearsal.neverText')
            : ''
      }
      foot={
        <Button
          variant="default"
          size="xs"
          loading={isAsked || running?.phase === 'rehearsing'}
          disabled={backups.length === 0 || running !== null}
          onClick={onTry}
        >
          {t('ui.upkeep.rehearsal.now')}
        </Button>
      }
    >
      <Facts
        facts={[
          ...(last
            ? ([
                [t('ui.upkeep.rehearsal.tried'), <Ago key="tried" instant={last.at} />],
                [t('ui.upkeep.rehearsal.took'), durationText(last.tookMs)],
              ] as const)
            : []),
          [
            t('ui.upkeep.rehearsal.due'),
            dueAt === null ? t('ui.upkeep.rehearsal.none') : <Clock key="due" instant={dueAt} />,
          ],
        ]}
      />
    </Light>
  )
}

/** What a copy elsewhere has. */
export function StandbyPanel({ state }: { state: UpkeepState }) {
  const light = standbyLight(state, Date.now())
  const { standby } = state
  return (
    <Light
      tone={STANDBY_TONES[light]}
      name={t('ui.upkeep.standby.title')}
      title={t(`ui.upkeep.standby.${light}`)}
      sentence={standby ? t('ui.upkeep.standby.pointMeaning') : t('ui.upkeep.standby.noneText')}
    >
      {standby && (
        <Facts
          facts={[
            [
              t('ui.upkeep.standby.point'),
              standby.recoveryPoint === null ? (
                t('ui.upkeep.standby.never')
              ) : (
                <Tooltip key="point" label={t('ui.upkeep.standby.pointMeaning')}>
                  <b>
                    <Clock instant={standby.recoveryPoint} />
                  </b>
                </Tooltip>
              ),
            ],
            [
              t('ui.upkeep.standby.copied'),
              standby.copiedAt === null ? (
                t('ui.upkeep.standby.never')
              ) : (
                <Ago key="copied" instant={standby.copiedAt} />
              ),
            ],
            [
              t('ui.upkeep.standby.to'),
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
