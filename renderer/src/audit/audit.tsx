import { ActionIcon, Button, Group, Select, TextInput, Tooltip } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconArrowUp, IconHistory, IconShieldCheck, IconX } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { type AuditCheck, dashboard } from '#shared/contract/dashboard.ts'
import type { ReplyOf } from '#shared/operation.ts'
import { ActivityTabs } from '../activity/tabs.tsx'
import { Clock } from '../components/clock.tsx'
import { Empty, Failed, Page, Panel, Waiting } from '../components/page.tsx'
import { Notice } from '../components/tone.tsx'
import { type Column, VirtualTable } from '../components/virtual-table.tsx'
import { countText, durationText, numberText } from '../display/amounts.ts'
import { ACT_GROUPS, actText } from '../display/audit-actions.ts'
import { detailText, shortIds } from '../display/audit-detail.ts'
import { call, keyOf, usePages, useSend } from '../gateway.ts'
import { useActors } from './actors.ts'
import css from './audit.module.css'
import { ExportMenu } from './export-menu.tsx'
import { type Chosen, chosenOf, filterOf, NOTHING, searchOf } from './filter.ts'
import { TargetLink } from './target-link.tsx'
import { words } from './words.ts'

const route = getRouteApi('/shell/audit')
/** Entries are few: what is new joins the first page by itself. */
const EVERY_MS = 10_000

type Entry = ReplyOf<typeof dashboard.audit>['entries'][number]

/** The audit trail: searched, verified, taken along. */
export function Audit() {
  const search = route.useSearch()
  const navigate = useNavigate()
  // Not in the address: an id of the trail may be looked for, and addresses are kept by browsers.
  const [target, setTarget] = useState('')
  const chosen: Chosen = { ...chosenOf(search), target }
  const [settledTarget] = useDebouncedValue(target, 300)
  const setChosen = (next: Chosen) => {
    setTarget(next.target)
    void navigate({ to: '/audit', search: searchOf(next), replace: true })
  }
  const filter = filterOf({ ...chosen, target: settledTarget })
  const isFiltered = Object.keys(filter).length > 0
  const query = { ...filter, limit: 100 }
  const { list, pages, more } = usePages(keyOf(dashboard.audit, query), (part, signal) =>
    call(dashboard.audit, { query: { ...query, ...part } }, signal),
  )
  // The gateway looks for a part of the name: "signed in" is part of "sign-in failed".
  const rows = pages.flatMap((page) => page.entries).filter(({ action }) => filter.action === undefined || action === filter.action)
  const client = useQueryClient()
  const isDeep = pages.length > 1
  const { refetch } = list
  useEffect(() => {
    if (isDeep) return
    const again = setInterval(() => void refetch({ cancelRefetch: false }), EVERY_MS)
    return () => clearInterval(again)
  }, [isDeep, refetch])
  const actors = useActors()
  const columns = useMemo(() => columnsOf(actors), [actors])
  const verify = useSend(dashboard.verifyAudit, [dashboard.audit, dashboard.status])

  return (
    <Page
      title={words.title}
      about={words.about}
      isFull
      actions={
        <>
          <ExportMenu filter={filter} />
          <Tooltip label={words.verifyMeaning}>
            <Button leftSection={<IconShieldCheck size={16} />} loading={verify.isPending} onClick={() => verify.mutate({})}>
              {words.verify}
            </Button>
          </Tooltip>
        </>
      }
    >
      <ActivityTabs />
      <div role="status" className={css.status}>
        {verify.error && <Failed error={verify.error} />}
        {verify.data && !verify.isPending && <Verdict check={verify.data} onClose={() => verify.reset()} />}
      </div>
      <Filters chosen={chosen} actors={actors} onChange={setChosen}>
        {isDeep && (
          <Button
            variant="light"
            size="xs"
            leftSection={<IconArrowUp size={14} />}
            onClick={() => void client.resetQueries({ queryKey: keyOf(dashboard.audit, query) })}
          >
            {words.newer}
          </Button>
        )}
      </Filters>
      {list.isError && <Failed error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <Waiting rows={10} />}
      {list.isSuccess && rows.length === 0 && (
        <Panel>
          <Empty
            icon={<IconHistory size={34} stroke={1.3} />}
            title={isFiltered ? words.noneFound : words.none}
            action={
              isFiltered && (
                <Button variant="default" onClick={() => setChosen(NOTHING)}>
                  {words.clear}
                </Button>
              )
            }
          >
            {isFiltered ? words.noneFoundText : words.noneText}
          </Empty>
        </Panel>
      )}
      {rows.length > 0 && (
        <Panel isFlush className="grow">
          <VirtualTable
            label={words.label}
            columns={columns}
            rows={rows}
            keyOf={(row) => row.seq}
            least={760}
            maxHeight="100%"
            onEnd={more}
            end={list.hasNextPage ? words.more : isFiltered ? words.lastFound : words.last}
          />
        </Panel>
      )}
    </Page>
  )
}

function Verdict({ check, onClose }: { check: AuditCheck; onClose: () => void }) {
  const { isIntact, entries, firstBadSeq, tookMs } = check
  return (
    <Notice
      tone={isIntact ? 'good' : 'danger'}
      title={isIntact ? words.intact : words.broken(numberText(firstBadSeq ?? 0))}
      actions={
        <ActionIcon aria-label={words.dismiss} onClick={onClose}>
          <IconX size={16} />
        </ActionIcon>
      }
    >
      {isIntact ? words.intactText(countText(entries, ...words.entries), durationText(tookMs)) : words.brokenText}
    </Notice>
  )
}

function Filters(props: { chosen: Chosen; actors: ReadonlyMap<string, string>; onChange: (chosen: Chosen) => void; children: ReactNode }) {
  const { chosen, actors, onChange, children } = props
  const change = (part: Partial<Chosen>) => onChange({ ...chosen, ...part })
  return (
    <Group gap={12} align="flex-end">
      <Select
        aria-label={words.who}
        placeholder={words.anyone}
        clearable
        searchable
        w={180}
        data={[...actors].map(([value, label]) => ({ value, label }))}
        value={chosen.actor || null}
        onChange={(actor) => change({ actor: actor ?? '' })}
        clearButtonProps={{ 'aria-label': words.anyone }}
      />
      <Select
        aria-label={words.what}
        placeholder={words.anything}
        clearable
        searchable
        w={230}
        data={ACT_GROUPS.map(({ name, acts }) => ({ group: name, items: acts.map(([value, label]) => ({ value, label })) }))}
        value={chosen.action || null}
        onChange={(action) => change({ action: action ?? '' })}
        clearButtonProps={{ 'aria-label': words.anything }}
      />
      <TextInput
        aria-label={words.on}
        placeholder={words.on}
        maxLength={200}
        w={190}
        value={chosen.target}
        onChange={(event) => change({ target: event.currentTarget.value })}
      />
      <TextInput
        type="date"
        aria-label={words.from}
        leftSection={words.from}
        leftSectionWidth={widthOf(words.from)}
        value={chosen.fromDay}
        onChange={(event) => change({ fromDay: event.currentTarget.value })}
      />
      <TextInput
        type="date"
        aria-label={words.to}
        leftSection={words.to}
        leftSectionWidth={widthOf(words.to)}
        value={chosen.toDay}
        onChange={(event) => change({ toDay: event.currentTarget.value })}
      />
      {children}
    </Group>
  )
}

/** Pixels of a word at the left of its field. */
const widthOf = (word: string) => word.length * 8 + 20

const columnsOf = (actors: ReadonlyMap<string, string>): readonly Column<Entry>[] => [
  { name: words.columns.seq, track: '52px', isRight: true, cell: ({ seq }) => seq },
  { name: words.columns.at, track: '122px', cell: ({ at }) => <Clock instant={at} /> },
  { name: words.columns.actor, track: 'minmax(110px, 1fr)', cell: ({ actor }) => <Who actor={actor} name={actors.get(actor)} /> },
  { name: words.columns.action, track: 'minmax(120px, 0.9fr)', cell: ({ action }) => <Act action={action} /> },
  { name: words.columns.target, track: 'minmax(100px, 1fr)', cell: (entry) => <Target entry={entry} actors={actors} /> },
  { name: words.columns.detail, track: 'minmax(150px, 2fr)', cell: ({ detail }) => <Detail text={detailText(detail)} /> },
]

/** What was done; its own name on hover. */
function Act({ action }: { action: string }) {
  const text = actText(action)
  return text === undefined ? <span className="mono">{action}</span> : <b title={action}>{text}</b>
}

function Target({ entry: { action, target }, actors }: { entry: Entry; actors: ReadonlyMap<string, string> }) {
  const name = actors.get(`user:${target}`)
  return (
    <TargetLink action={action} target={target}>
      {name === undefined ? <Id text={target} /> : <span title={target}>{name}</span>}
    </TargetLink>
  )
}

function Id({ text }: { text: string }) {
  return (
    <span className="mono" title={text}>
      {shortIds(text)}
    </span>
  )
}

/** Three lines of it; all of it on hover. */
const Detail = ({ text }: { text: string }) => (
  <span title={text} className={css.detail} translate="no">
    {shortIds(text)}
  </span>
)

/** The actor by name where it has one; the id on hover. */
function Who({ actor, name }: { actor: string; name: string | undefined }) {
  return name === undefined ? <Id text={actor} /> : <span title={actor.includes(':') ? actor : undefined}>{name}</span>
}
