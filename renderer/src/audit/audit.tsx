import { IconHistory } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import { dashboard } from '#shared/contract/dashboard.ts'
import type { ReplyOf } from '#shared/operation.ts'
import type { ProblemError } from '../client.ts'
import { Clock } from '../components/clock.tsx'
import { Empty, Failed, Page, Panel, Waiting } from '../components/page.tsx'
import { type Column, VirtualTable } from '../components/virtual-table.tsx'
import { detailText, shortIds } from '../display/audit-detail.ts'
import { call, keyOf } from '../gateway.ts'
import { useSession } from '../session.ts'
import { words } from './words.ts'

type Entry = ReplyOf<typeof dashboard.audit>['entries'][number]

const columns: readonly Column<Entry>[] = [
  { name: words.columns.seq, track: '44px', isRight: true, cell: ({ seq }) => seq },
  { name: words.columns.at, track: '122px', cell: ({ at }) => <Clock instant={at} /> },
  { name: words.columns.actor, track: 'minmax(110px, 1fr)', cell: ({ actor }) => <Who actor={actor} /> },
  { name: words.columns.action, track: 'minmax(120px, 0.9fr)', cell: ({ action }) => <b>{action}</b> },
  { name: words.columns.target, track: 'minmax(100px, 1fr)', cell: ({ target }) => <Id text={target} /> },
  { name: words.columns.detail, track: 'minmax(150px, 2fr)', cell: ({ detail }) => detailText(detail) },
]

/** The audit trail. */
export function Audit() {
  const page = useInfiniteQuery<ReplyOf<typeof dashboard.audit>, ProblemError>({
    queryKey: keyOf(dashboard.audit, {}),
    initialPageParam: undefined,
    queryFn: ({ pageParam, signal }) =>
      call(dashboard.audit, { query: { limit: 100, ...(typeof pageParam === 'string' && { cursor: pageParam }) } }, signal),
    getNextPageParam: (last) => (last.hasMore ? last.cursor : undefined),
  })
  const rows = page.data?.pages.flatMap((one) => one.entries) ?? []
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = page
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, fetchNextPage])

  return (
    <Page title={words.title} about={words.about} isFull>
      {page.isError && <Failed error={page.error} onRetry={() => void page.refetch()} />}
      {page.isPending && <Waiting rows={10} />}
      {page.isSuccess && rows.length === 0 && (
        <Panel>
          <Empty icon={<IconHistory size={34} stroke={1.3} />} title={words.none}>
            {words.noneText}
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
            end={hasNextPage ? words.more : words.last}
          />
        </Panel>
      )}
    </Page>
  )
}

function Id({ text }: { text: string }) {
  return (
    <span className="mono" title={text}>
      {shortIds(text)}
    </span>
  )
}

/** The actor; one's own id as one's name. */
function Who({ actor }: { actor: string }) {
  const user = useSession().data?.user
  if (user && actor.endsWith(user.userId)) return <span title={actor}>{words.you(`${user.firstName} ${user.lastName}`)}</span>
  return <Id text={actor} />
}
