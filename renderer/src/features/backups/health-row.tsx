import { Button, Text, Tooltip } from '@mantine/core'
import type { ReactNode } from 'react'
import type { BackupsState } from '#shared/contract/dashboard-backups.ts'
import { durationText } from '../../format/amounts.ts'
import type { Tone } from '../../format/tones.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { Clock, TimeAgo } from '../../ui/clock.tsx'
import { FactList, Panel } from '../../ui/page.tsx'
import { ToneIcon } from '../../ui/tone.tsx'
import css from './backups.module.css'
import {
  BACKUP_TONES,
  backupHealth,
  REHEARSAL_TONES,
  rehearsalHealth,
  STANDBY_TONES,
  standbyHealth,
} from './health.ts'

/** Whether backups are made as planned. */
export function BackupPanel({ state }: { state: BackupsState }) {
  const { folder, place, fault, last, nextAt, backups } = state
  const light = backupHealth(state, Date.now())
  const sentence = {
    ...{
      fault: fault ? translateMessage(fault) : '',
      noFolder: t('ui.backups.last.noFolderText'),
      byHand: t('ui.backups.last.byHandText'),
      running: '',
      none: '',
      old: '',
      fine: '',
    },
    ...{
      unplanned: `${t('ui.backups.last.unplannedText')}${place === 'same-disk' ? ` ${t('ui.backups.last.sameDiskText')}` : ''}`,
      sameDisk: t('ui.backups.last.sameDiskText'),
    },
    failed: last ? translateMessage(last.sentence) : '',
  }[light]
  const newest = backups[0]
  return (
    <HealthPanel
      tone={BACKUP_TONES[light]}
      name={t('ui.backups.last.title')}
      title={t(`ui.backups.last.${light}`)}
      sentence={sentence}
    >
      {folder !== null && (
        <FactList
          facts={[
            ...(newest
              ? ([
                  [t('ui.backups.last.newest'), <TimeAgo key="newest" instant={newest.madeAt} />],
                  [t('ui.backups.last.made'), t(`ui.backups.list.kinds.${newest.kind}`)],
                  ...(place
                    ? ([
                        [t('ui.backups.last.place'), t(`ui.backups.last.places.${place}`)],
                      ] as const)
                    : []),
                ] as const)
              : []),
            [
              t('ui.backups.last.next'),
              nextAt === null ? t('ui.backups.last.never') : <Clock key="next" instant={nextAt} />,
            ],
          ]}
        />
      )}
      {newest && (
        <Text size="sm" c="dimmed" mt={8}>
          {t('ui.backups.last.database')}
        </Text>
      )}
    </HealthPanel>
  )
}

/** Whether the newest backup was tried, and opened. */
export function RehearsalPanel({
  state,
  isAsked,
  onTry,
}: {
  state: BackupsState
  isAsked: boolean
  onTry: () => void
}) {
  const { rehearsal, running, backups } = state
  const light = rehearsalHealth(state)
  const { last, dueAt } = rehearsal
  return (
    <HealthPanel
      tone={REHEARSAL_TONES[light]}
      name={t('ui.backups.rehearsal.title')}
      title={t(`ui.backups.rehearsal.${light}`)}
      sentence={
        last && light !== 'running'
          ? translateMessage(last.sentence)
          : light === 'never'
            ? t('ui.backups.rehearsal.neverText')
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
          {t('ui.backups.rehearsal.now')}
        </Button>
      }
    >
      <FactList
        facts={[
          ...(last
            ? ([
                [t('ui.backups.rehearsal.tried'), <TimeAgo key="tried" instant={last.at} />],
                [t('ui.backups.rehearsal.took'), durationText(last.tookMs)],
              ] as const)
            : []),
          [
            t('ui.backups.rehearsal.due'),
            dueAt === null ? t('ui.backups.rehearsal.none') : <Clock key="due" instant={dueAt} />,
          ],
        ]}
      />
    </HealthPanel>
  )
}

/** What a copy elsewhere has. */
export function StandbyPanel({ state }: { state: BackupsState }) {
  const light = standbyHealth(state, Date.now())
  const { standby } = state
  return (
    <HealthPanel
      tone={STANDBY_TONES[light]}
      name={t('ui.backups.standby.title')}
      title={t(`ui.backups.standby.${light}`)}
      sentence={standby ? t('ui.backups.standby.pointMeaning') : t('ui.backups.standby.noneText')}
    >
      {standby && (
        <FactList
          facts={[
            [
              t('ui.backups.standby.point'),
              standby.recoveryPoint === null ? (
                t('ui.backups.standby.never')
              ) : (
                <Tooltip key="point" label={t('ui.backups.standby.pointMeaning')}>
                  <b>
                    <Clock instant={standby.recoveryPoint} />
                  </b>
                </Tooltip>
              ),
            ],
            [
              t('ui.backups.standby.copied'),
              standby.copiedAt === null ? (
                t('ui.backups.standby.never')
              ) : (
                <TimeAgo key="copied" instant={standby.copiedAt} />
              ),
            ],
            [
              t('ui.backups.standby.to'),
              <span key="to" className="mono">
                {standby.to}
              </span>,
            ],
          ]}
        />
      )}
    </HealthPanel>
  )
}

function HealthPanel(props: {
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
