import { ActionIcon, Button, Group, Select, TextInput, Tooltip } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconHistory, IconShieldCheck, IconX } from '@tabler/icons-react'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useMemo, useState } from 'react'
import { type AuditCheck, dashboard } from '#shared/contract/dashboard.ts'
import { useSend } from '../../api/queries.ts'
import { durationText, numberText } from '../../format/amounts.ts'
import { ACTION_GROUPS } from '../../format/audit-actions.ts'
import { t, textsOf } from '../../i18n/t.ts'
import { ReasonDialog } from '../../ui/ask-reason.tsx'
import { DayInput } from '../../ui/day-input.tsx'
import { ErrorNotice, Page } from '../../ui/page.tsx'
import { NewerButton, PagedTable } from '../../ui/paged-table.tsx'
import { ActivityTabs } from '../../ui/sections/activity-tabs.tsx'
import { Notice } from '../../ui/tone.tsx'
import { useActors, useDetailReader } from './actors.ts'
import css from './audit.module.css'
import { columnsOf } from './entry-columns.tsx'
import { ExportMenu } from './export-menu.tsx'
import {
  type AuditFilterSelection,
  EMPTY_FILTER,
  filterOf,
  searchOf,
  selectionOf,
} from './filter.ts'
import { useEntries } from './use-entries.ts'

const route = getRouteApi('/shell/audit')
/** The audit trail: searched, verified, taken along. */
export function Audit() {
  const search = route.useSearch()
  const navigate = useNavigate()
  // Not in the address: an id of the trail may be looked for, and addresses are kept by browsers.
  const [target, setTarget] = useState('')
  const chosen: AuditFilterSelection = { ...selectionOf(search), target }
  const [settledTarget] = useDebouncedValue(target, 300)
  const setChosen = (next: AuditFilterSelection) => {
    setTarget(next.target)
    void navigate({ to: '/audit', search: searchOf(next), replace: true })
  }
  const filter = filterOf({ ...chosen, target: settledTarget })
  const isFiltered = Object.keys(filter).length > 0
  const { list, entries, more, isBehind, showLatest } = useEntries(filter)
  const actors = useActors()
  const reader = useDetailReader(actors)
  const columns = useMemo(() => columnsOf(actors, reader), [actors, reader])
  const verify = useSend(dashboard.verifyAudit, [dashboard.audit, dashboard.status])
  const acknowledge = useSend(dashboard.acknowledgeAudit, [dashboard.audit, dashboard.status])
  const [isAsking, setAsking] = useState(false)

  return (
    <Page
      title={t('ui.audit.title')}
      about={t('ui.audit.about')}
      isFull
      actions={
        <>
          <ExportMenu filter={filter} />
          <Tooltip label={t('ui.audit.verifyMeaning')}>
            <Button
              leftSection={<IconShieldCheck size={16} />}
              loading={verify.isPending}
              onClick={() => verify.mutate({})}
            >
              {t('ui.audit.verify')}
            </Button>
          </Tooltip>
        </>
      }
    >
      <ActivityTabs />
      <div role="status" className={css.status}>
        {verify.error && <ErrorNotice error={verify.error} />}
        {verify.data && !verify.isPending && (
          <Verdict
            check={verify.data}
            onAcknowledge={() => setAsking(true)}
            onClose={() => verify.reset()}
          />
        )}
        {isAsking && verify.data && (
          <ReasonDialog
            words={textsOf('ui.audit.acknowledge', 'title', 'action', 'label', 'about', 'example')}
            field="reason"
            isBusy={acknowledge.isPending}
            error={acknowledge.error}
            onClose={() => setAsking(false)}
            onSend={(reason, onError) =>
              acknowledge.mutate(
                { body: { reason } },
                {
                  onError,
                  onSuccess: () => {
                    setAsking(false)
                    verify.mutate({})
                  },
                },
              )
            }
          >
            {t('ui.audit.recorded', { seq: numberText(verify.data.firstBadSeq ?? 0) })}
          </ReasonDialog>
        )}
      </div>
      <Filters chosen={chosen} actors={actors} onChange={setChosen}>
        {isBehind && <NewerButton name={t('ui.audit.newer')} onClick={showLatest} />}
      </Filters>
      <PagedTable
        tableId="audit"
        list={list}
        nothing={{
          icon: IconHistory,
          ...(isFiltered
            ? { title: t('ui.audit.noneFound'), text: t('ui.audit.noneFoundText') }
            : { title: t('ui.audit.none'), text: t('ui.audit.noneText') }),
          clear: isFiltered
            ? { name: t('ui.audit.clear'), run: () => setChosen(EMPTY_FILTER) }
            : undefined,
        }}
        label={t('ui.audit.label')}
        columns={columns}
        rows={entries}
        keyOf={(row) => row.seq}
        least={760}
        onEndReached={more}
        end={
          list.hasNextPage
            ? t('ui.audit.more')
            : isFiltered
              ? t('ui.audit.lastFound')
              : t('ui.audit.last')
        }
      />
    </Page>
  )
}

interface VerdictProps {
  readonly check: AuditCheck
  readonly onAcknowledge: () => void
  readonly onClose: () => void
}

function Verdict({ check, onAcknowledge, onClose }: VerdictProps) {
  const { isIntact, entries, firstBadSeq, finding, missing, isRecorded, tookMs } = check
  const seq = numberText(firstBadSeq ?? 0)
  const title = t(`ui.audit.found.${finding ?? 'entry'}`, {
    seq,
    missing: t('ui.audit.entries', { count: missing }),
  })
  return (
    <Notice
      tone={isIntact ? 'good' : 'danger'}
      title={isIntact ? t('ui.audit.intact') : title}
      actions={
        <>
          {isRecorded && (
            <Button size="xs" variant="default" onClick={onAcknowledge}>
              {t('ui.audit.acknowledge.action')}
            </Button>
          )}
          <ActionIcon aria-label={t('ui.audit.dismiss')} onClick={onClose}>
            <IconX size={16} />
          </ActionIcon>
        </>
      }
    >
      {isIntact
        ? t('ui.audit.intactText', {
            entries: t('ui.audit.entries', { count: entries }),
            took: durationText(tookMs),
          })
        : isRecorded
          ? `${t('ui.audit.recorded', { seq })} ${t('ui.audit.foundText')}`
          : t('ui.audit.brokenText')}
    </Notice>
  )
}

function Filters(props: {
  chosen: AuditFilterSelection
  actors: ReadonlyMap<string, string>
  onChange: (chosen: AuditFilterSelection) => void
  children: ReactNode
}) {
  const { chosen, actors, onChange, children } = props
  const change = (part: Partial<AuditFilterSelection>) => onChange({ ...chosen, ...part })
  return (
    <Group gap={12} align="flex-start">
      <Select
        aria-label={t('ui.audit.who')}
        placeholder={t('ui.audit.anyone')}
        clearable
        searchable
        w={170}
        data={[...actors].map(([value, label]) => ({ value, label }))}
        value={chosen.actor || null}
        onChange={(actor) => change({ actor: actor ?? '' })}
        clearButtonProps={{ 'aria-label': t('ui.audit.anyone') }}
      />
      <Select
        aria-label={t('ui.audit.what')}
        placeholder={t('ui.audit.anything')}
        clearable
        searchable
        w={200}
        data={ACTION_GROUPS.map(({ name, acts }) => ({
          group: name,
          items: acts.map(([value, label]) => ({ value, label })),
        }))}
        value={chosen.action || null}
        onChange={(action) => change({ action: action ?? '' })}
        clearButtonProps={{ 'aria-label': t('ui.audit.anything') }}
      />
      <TextInput
        aria-label={t('ui.audit.on')}
        placeholder={t('ui.audit.on')}
        maxLength={200}
        w={150}
        value={chosen.target}
        onChange={(event) => change({ target: event.currentTarget.value })}
      />
      <DayField
        name={t('ui.audit.from')}
        value={chosen.fromDay}
        onChange={(fromDay) => change({ fromDay })}
      />
      <DayField
        name={t('ui.audit.to')}
        value={chosen.toDay}
        onChange={(toDay) => change({ toDay })}
      />
      {children}
    </Group>
  )
}

function DayField({
  name,
  value,
  onChange,
}: {
  name: string
  value: string
  onChange: (day: string) => void
}) {
  return (
    <DayInput
      aria-label={name}
      leftSection={name}
      leftSectionWidth={labelWidth(name)}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}

/** Pixels of a word at the left of its field. */
const labelWidth = (word: string) => word.length * 8 + 20
