import { Button } from '@mantine/core'
import { IconActivityHeartbeat, IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { dashboard, type FeedLine } from '#shared/contract/dashboard.ts'
import { Clock } from '../components/clock.tsx'
import { Empty, Failed, Panel, Waiting } from '../components/page.tsx'
import { ToneIcon } from '../components/tone.tsx'
import { mergeLines } from '../display/feed-lines.ts'
import { useReply } from '../gateway.ts'
import { useLive } from '../live.ts'
import css from './overview.module.css'
import { words } from './words.ts'

/** What happens on the network, newest first; a line about a worklist opens its query, one about images their study. */
export function Feed() {
  const { isOpen, lines: pushed } = useLive()
  const feed = useReply(dashboard.feed, { query: { limit: 100 } }, isOpen ? {} : { every: 5000 })
  const all = useMemo(() => mergeLines(pushed, feed.data?.lines ?? []), [pushed, feed.data])
  const [held, setHeld] = useState<readonly FeedLine[] | null>(null)
  const lines = held ?? all
  const missed = held === null ? 0 : all.filter((line) => line.lineId > (held[0]?.lineId ?? 0)).length

  return (
    <Panel
      isFlush
      title={words.feed}
      aside={
        <Button
          variant="subtle"
          size="compact-sm"
          leftSection={held ? <IconPlayerPlay size={14} /> : <IconPlayerPause size={14} />}
          onClick={() => setHeld(held ? null : all)}
        >
          {held ? words.resume(missed) : words.pause}
        </Button>
      }
    >
      {feed.isPending && <Waiting rows={8} height={26} />}
      {feed.isError && lines.length === 0 && <Failed error={feed.error} onRetry={() => void feed.refetch()} />}
      {feed.isSuccess && lines.length === 0 && (
        <Empty icon={<IconActivityHeartbeat size={34} stroke={1.3} />} title={words.feedEmpty}>
          {words.feedEmptyText}
        </Empty>
      )}
      {lines.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll region is reached by the keyboard (WCAG 2.1.1)
        <ol className={css.feed} aria-label={words.feedAbout} tabIndex={0}>
          {lines.map((line) => (
            <li key={line.lineId}>
              <Line line={line} />
            </li>
          ))}
        </ol>
      )}
    </Panel>
  )
}

function Line({ line }: { line: FeedLine }) {
  const parts = (
    <>
      <ToneIcon tone={line.tone} size={15} />
      <Clock instant={line.at} />
      <span className={css.ae} title={line.address}>
        {line.aeTitle || line.address}
      </span>
      <span>{line.text}</span>
      <span className={css.kind}>{words.kinds[line.kind]}</span>
    </>
  )
  if (line.inspectionId === null && line.studyInstanceUid !== null) {
    return (
      <Link to="/images/$studyInstanceUid" params={{ studyInstanceUid: line.studyInstanceUid }} className={css.line}>
        {parts}
      </Link>
    )
  }
  if (line.inspectionId === null) return <div className={css.line}>{parts}</div>
  return (
    <Link to="/queries/$inspectionId" params={{ inspectionId: String(line.inspectionId) }} className={css.line}>
      {parts}
    </Link>
  )
}
