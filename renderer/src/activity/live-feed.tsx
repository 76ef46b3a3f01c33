import { Button, Group, Select } from '@mantine/core'
import { IconActivityHeartbeat, IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useMemo, useState } from 'react'
import { dashboard, type FeedLine } from '#shared/contract/dashboard.ts'
import { Clock } from '../components/clock.tsx'
import { Empty, Failed, Page, Panel, Waiting } from '../components/page.tsx'
import { ToneIcon } from '../components/tone.tsx'
import { mergeLines } from '../display/feed-lines.ts'
import { useReply } from '../gateway.ts'
import { said } from '../language/said.ts'
import { useLive } from '../live.ts'
import { useShortcuts } from '../shell/shortcuts.ts'
import css from './activity.module.css'
import { ActivityTabs } from './tabs.tsx'
import { words } from './words.ts'

const route = getRouteApi('/shell/activity')
const KINDS = Object.keys(words.live.kinds) as readonly FeedLine['kind'][]

/** What happens on the network, newest first; a line leads to its query, its images, or its connection. */
export function LiveFeed() {
  const search: { readonly device?: string; readonly kind?: string } = route.useSearch()
  const navigate = useNavigate()
  const { isOpen, lines: pushed } = useLive()
  const feed = useReply(dashboard.feed, { query: { limit: 100 } }, isOpen ? {} : { every: 5000 })
  const devices = useReply(dashboard.devices, {}, { staleTime: 60_000 }).data?.devices ?? []
  const all = useMemo(() => mergeLines(pushed, feed.data?.lines ?? []), [pushed, feed.data])
  const [held, setHeld] = useState<readonly FeedLine[] | null>(null)
  const kind = KINDS.find((one) => one === search.kind)
  const isShown = (line: FeedLine) =>
    (kind === undefined || line.kind === kind) && (search.device === undefined || line.aeTitle === search.device)
  const lines = (held ?? all).filter(isShown)
  const missed = held === null ? 0 : all.filter((line) => line.lineId > (held[0]?.lineId ?? 0) && isShown(line)).length
  const isFiltered = kind !== undefined || search.device !== undefined
  const choose = (change: { device?: string | undefined; kind?: string | undefined }) => {
    const { device, kind: chosen } = { ...search, ...change }
    void navigate({ to: '/activity', search: { ...(device && { device }), ...(chosen && { kind: chosen }) }, replace: true })
  }
  const turn = () => setHeld(held ? null : all)
  useShortcuts(words.live.title, [{ keys: 'p', name: held ? words.live.resume(0) : words.live.pause, run: turn }])
  const aeTitles = [...new Set([...devices, ...all, ...(search.device ? [{ aeTitle: search.device }] : [])].map(({ aeTitle }) => aeTitle))]

  return (
    <Page
      title={words.live.title}
      about={words.live.about}
      isFull
      actions={
        <Button variant="default" leftSection={held ? <IconPlayerPlay size={15} /> : <IconPlayerPause size={15} />} onClick={turn}>
          {held ? words.live.resume(missed) : words.live.pause}
        </Button>
      }
    >
      <ActivityTabs />
      <Group gap={12}>
        <Select
          aria-label={words.device}
          placeholder={words.anyDevice}
          clearable
          searchable
          w={220}
          data={aeTitles.filter((aeTitle) => aeTitle !== '').sort()}
          value={search.device ?? null}
          onChange={(device) => choose({ device: device ?? undefined })}
          clearButtonProps={{ 'aria-label': words.anyDevice }}
        />
        <Select
          aria-label={words.live.kind}
          placeholder={words.live.anyKind}
          clearable
          w={200}
          data={KINDS.map((value) => ({ value, label: words.live.kinds[value] }))}
          value={kind ?? null}
          onChange={(chosen) => choose({ kind: chosen ?? undefined })}
          clearButtonProps={{ 'aria-label': words.live.anyKind }}
        />
      </Group>
      {feed.isPending && <Waiting rows={8} height={26} />}
      {feed.isError && all.length === 0 && <Failed error={feed.error} onRetry={() => void feed.refetch()} />}
      {feed.isSuccess && lines.length === 0 && (
        <Panel>
          <Empty
            icon={<IconActivityHeartbeat size={34} stroke={1.3} />}
            title={isFiltered ? words.live.noneFiltered : words.live.none}
            action={
              isFiltered && (
                <Button variant="default" onClick={() => choose({ device: undefined, kind: undefined })}>
                  {words.clear}
                </Button>
              )
            }
          >
            {isFiltered ? words.live.noneFilteredText : words.live.noneText}
          </Empty>
        </Panel>
      )}
      {lines.length > 0 && (
        <Panel isFlush className="grow">
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll region is reached by the keyboard (WCAG 2.1.1) */}
          <ol className={css.feed} aria-label={words.live.label} tabIndex={0}>
            {lines.map((line) => (
              <li key={line.lineId}>
                <Line line={line} />
              </li>
            ))}
          </ol>
        </Panel>
      )}
    </Page>
  )
}

function Line({ line }: { line: FeedLine }) {
  return (
    <Leading line={line}>
      <ToneIcon tone={line.tone} size={15} />
      <Clock instant={line.at} />
      <span className={css.ae} title={line.address}>
        {line.aeTitle || line.address}
      </span>
      <span>{said(line.text)}</span>
      <span className={css.kind}>{words.live.kinds[line.kind]}</span>
    </Leading>
  )
}

/** A link to what the line is about, where there is something. */
function Leading({ line, children }: { line: FeedLine; children: ReactNode }) {
  const { inspectionId, studyInstanceUid, associationId } = line
  if (inspectionId !== null) {
    return (
      <Link to="/queries/$inspectionId" params={{ inspectionId: String(inspectionId) }} className={css.line}>
        {children}
      </Link>
    )
  }
  if (studyInstanceUid !== null) {
    return (
      <Link to="/images/$studyInstanceUid" params={{ studyInstanceUid }} className={css.line}>
        {children}
      </Link>
    )
  }
  // Asked from the window, there was no connection.
  if (associationId === '' || associationId === 'window') return <div className={css.line}>{children}</div>
  return (
    <Link to="/activity/associations/$associationId" params={{ associationId }} className={css.line}>
      {children}
    </Link>
  )
}
