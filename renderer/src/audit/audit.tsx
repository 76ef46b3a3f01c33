import { ActionIcon, Button, Group, Select, TextInput, Tooltip } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconHistory, IconShieldCheck, IconX } from '@tabler/icons-react'
import { useMemo, useState } from 'react'
import { type AuditCheck, dashboard } from '#shared/contract/dashboard.ts'
import type { ReplyOf } from '#shared/operation.ts'
import { Clock } from '../components/clock.tsx'
import { Empty, Failed, Page, Panel, Waiting } from '../components/page.tsx'
import { Notice } from '../components/tone.tsx'
import { type Column, VirtualTable } from '../components/virtual-table.tsx'
import { countText, durationText, numberText } from '../display/amounts.ts'
import { detailText, shortIds } from '../display/audit-detail.ts'
import { call, keyOf, usePages, useSend } from '../gateway.ts'
import { useActors } from './actors.ts'
import { ExportMenu } from './export-menu.tsx'
import { type Chosen, filterOf, NOTHING } from './filter.ts'
import { words } from './words.ts'

type Entry = ReplyOf<typeof dashboard.audit>['entries'][number]

/** The audit trail: searched, verified, taken along. */
export function Audit() {
  // Not in the address: an id of the trail may be looked for, and addresses are kept by browsers.
  const [chosen, setChosen] = useState<Chosen>(NOTHING)
  const [settled] = useDebouncedValue(chosen, 300)
  const filter = filterOf(settled)
  const isFiltered = Object.keys(filter).length > 0
  const query = { ...filter, limit: 100 }
  const { list, pages, more } = usePages(keyOf(dashboard.audit, query), (part, signal) =>
    call(dashboard.audit, { query: { ...query, ...part } }, signal),
  )
  const rows = pages.flatMap((page) => page.entries)
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
      <div role="status">
        {verify.error && <Failed error={verify.error} />}
        {verify.data && !verify.isPending && <Verdict check={verify.data} onClose={() => verify.reset()} />}
      </div>
      <Filters chosen={chosen} actors={actors} onChange={setChosen} />
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
      {isIntact ? words.intactText(countText(entries, 'entry', 'entries'), durationText(tookMs)) : words.brokenText}
    </Notice>
  )
}

function Filters(props: { chosen: Chosen; actors: ReadonlyMap<string, string>; onChange: (chosen: Chosen) => void }) {
  const { chosen, actors, onChange } = props
  const change = (part: Partial<Chosen>) => onChange({ ...chosen, ...part })
  return (
    <Group gap={12} align="flex-end">
      <Select
        aria-label={words.who}
        placeholder={words.anyone}
        clearable
        searchable
        w={210}
        data={[...actors].map(([value, label]) => ({ value, label }))}
        value={chosen.actor || null}
        onChange={(actor) => change({ actor: actor ?? '' })}
        clearButtonProps={{ 'aria-label': words.anyone }}
      />
      <TextInput
        aria-label={words.what}
        placeholder={`${words.what}: ${words.whatExample}`}
        maxLength={100}
        w={230}
        value={chosen.action}
        onChange={(event) => change({ action: event.currentTarget.value })}
      />
      <TextInput
        aria-label={words.on}
        placeholder={words.on}
        maxLength={200}
        w={230}
        value={chosen.target}
        onChange={(event) => change({ target: event.currentTarget.value })}
      />
      <TextInput
        type="date"
        aria-label={words.from}
        leftSection={words.from}
        leftSectionWidth={52}
        value={chosen.fromDay}
        onChange={(event) => change({ fromDay: event.currentTarget.value })}
      />
      <TextInput
        type="date"
        aria-label={words.to}
        leftSection={words.to}
        leftSectionWidth={34}
        value={chosen.toDay}
        onChange={(event) => change({ toDay: event.currentTarget.value })}
      />
    </Group>
  )
}

const columnsOf = (actors: ReadonlyMap<string, string>): readonly Column<Entry>[] => [
  { name: words.columns.seq, track: '52px', isRight: true, cell: ({ seq }) => seq },
  { name: words.columns.at, track: '122px', cell: ({ at }) => <Clock instant={at} /> },
  { name: words.columns.actor, track: 'minmax(110px, 1fr)', cell: ({ actor }) => <Who actor={actor} name={actors.get(actor)} /> },
  { name: words.columns.action, track: 'minmax(120px, 0.9fr)', cell: ({ action }) => <b>{action}</b> },
  { name: words.columns.target, track: 'minmax(100px, 1fr)', cell: ({ target }) => <Id text={target} /> },
  { name: words.columns.detail, track: 'minmax(150px, 2fr)', cell: ({ detail }) => <Detail text={detailText(detail)} /> },
]

function Id({ text }: { text: string }) {
  return (
    <span className="mono" title={text}>
      {shortIds(text)}
    </span>
  )
}

const Detail = ({ text }: { text: string }) => <span title={text}>{shortIds(text)}</span>

/** The actor by name where it has one; the id on hover. */
function Who({ actor, name }: { actor: string; name: string | undefined }) {
  return name === undefined ? <Id text={actor} /> : <span title={actor}>{name}</span>
}
