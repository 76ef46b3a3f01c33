import { Button, Skeleton, Stack, Title, VisuallyHidden } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { type ReactNode, useEffect } from 'react'
import type { ProblemCode, ProblemError } from '../api/client.ts'
import { t, textsOf } from '../i18n/t.ts'
import { ErrorReference } from './error-reference.tsx'
import css from './page.module.css'
import { Notice } from './tone.tsx'

/**
 * A screen: its title, one sentence of what it is for, what can be done, and its panels. `isFull`
 * fills the height.
 */
export function Page(props: {
  title: string
  about?: ReactNode
  actions?: ReactNode
  isFull?: boolean
  children: ReactNode
}) {
  const { title, about, actions, isFull, children } = props
  useEffect(() => {
    document.title = `${title} · Isthmus`
  }, [title])
  return (
    <div className={`${css.page} ${isFull ? css.full : ''}`}>
      <div className={css.head}>
        <div>
          <Title order={1}>{title}</Title>
          {about && <div className={css.about}>{about}</div>}
        </div>
        {actions && <div className={css.actions}>{actions}</div>}
      </div>
      {children}
    </div>
  )
}

/** A framed part of a screen. `isFlush` lets a table reach the frame. */
export function Panel(props: {
  title?: ReactNode
  aside?: ReactNode
  isFlush?: boolean
  className?: string | undefined
  children: ReactNode
}) {
  const { title, aside, isFlush, className, children } = props
  return (
    <section className={`${css.panel} ${isFlush ? css.flush : ''} ${className ?? ''}`}>
      {(title || aside) && (
        <div className={css.panelHead}>
          {title && <Title order={2}>{title}</Title>}
          {aside}
        </div>
      )}
      {children}
    </section>
  )
}

/** Names and values, one pair a line. */
export function FactList({
  facts,
}: {
  facts: readonly (readonly [name: string, value: ReactNode])[]
}) {
  return (
    <dl className={css.facts}>
      {facts.map(([name, value]) => [
        <dt key={name}>{name}</dt>,
        <dd key={`${name}-value`}>{value}</dd>,
      ])}
    </dl>
  )
}

/**
 * Nothing to show, and what to do about it.
 * @param error of an error screen, which shows its reference; null where nothing was thrown
 */
export function EmptyState({
  icon,
  title,
  children,
  action,
  error,
  order = 2,
}: {
  icon?: ReactNode
  title: string
  children?: ReactNode
  action?: ReactNode
  error?: unknown
  /** Of its heading: 1 where it stands in the place of a screen. */
  order?: 1 | 2
}) {
  return (
    <div className={css.empty}>
      {icon}
      <Title order={order} size="h3">
        {title}
      </Title>
      {children && <p>{children}</p>}
      {action}
      {error !== undefined && <ErrorReference error={error} />}
    </div>
  )
}

/**
 * Placeholder while a reply is awaited.
 * @param isOfLaterPart what is awaited is itself loaded by `loadLater`, which does not wait for it
 */
export function LoadingPlaceholder(props: {
  rows?: number
  height?: number
  isOfLaterPart?: boolean
}) {
  const { rows = 4, height = 34, isOfLaterPart = false } = props
  return (
    <Stack gap={8} p={8} aria-busy="true" data-later={isOfLaterPart || undefined}>
      <VisuallyHidden role="status">{t('ui.common.loading')}</VisuallyHidden>
      {Array.from({ length: rows }, (_, row) => row).map((row) => (
        <Skeleton key={row} height={height} radius="sm" />
      ))}
    </Stack>
  )
}

const FAILURE_TITLES: Partial<Record<ProblemCode, string>> = textsOf(
  'ui.common.failures',
  ...(['not-permitted', 'unreachable', 'too-many', 'not-found'] as const),
)

/** A reply that could not be had: why, what to do, and a button to ask again. */
export function ErrorNotice({ error, onRetry }: { error: ProblemError; onRetry?: () => void }) {
  const remedy = error.code === 'not-permitted' ? ` ${t('ui.common.askManager')}` : ''
  return (
    <Notice
      tone="danger"
      title={FAILURE_TITLES[error.code] ?? t('ui.common.failed')}
      actions={
        onRetry && (
          <Button
            variant="default"
            size="xs"
            leftSection={<IconRefresh size={14} />}
            onClick={onRetry}
          >
            {t('ui.common.again')}
          </Button>
        )
      }
    >
      {error.message}
      {remedy}
      <ErrorReference error={error} />
    </Notice>
  )
}
