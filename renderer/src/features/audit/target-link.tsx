import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'

interface TargetLinkRule {
  /** Of the act and what it was done to. */
  readonly fits: (action: string, target: string) => boolean
  readonly link: (target: string, children: ReactNode) => ReactNode
}

const actsOn =
  (...nouns: readonly string[]) =>
  (action: string) =>
    nouns.includes(action.slice(0, action.indexOf('.')))
const id =
  (prefix: string) =>
  (_action: string, target: string): boolean =>
    target.startsWith(prefix)
/** Digits and dots: what the whole study is named by. */
const UID = /^[0-2](?:\.\d+)+$/

/** Where what an act was done to can be seen: the first place that fits. */
const LINK_RULES: readonly TargetLinkRule[] = [
  {
    fits: id('stu_'),
    link: (studyId, children) => (
      <Link to="/studies/$studyId" params={{ studyId }}>
        {children}
      </Link>
    ),
  },
  {
    fits: id('cus_'),
    link: (expressCustomerId, children) => (
      <Link to="/customers/$expressCustomerId" params={{ expressCustomerId }}>
        {children}
      </Link>
    ),
  },
  { fits: id('usr_'), link: (_, children) => <Link to="/people">{children}</Link> },
  {
    fits: (action, target) => actsOn('event')(action) && target.startsWith('whe_'),
    link: (eventId, children) => (
      <Link to="/events/$eventId" params={{ eventId }}>
        {children}
      </Link>
    ),
  },
  {
    fits: (action) => actsOn('forward', 'destination')(action) && action !== 'destination.remove',
    link: (destinationId, children) => (
      <Link to="/destinations/$destinationId" params={{ destinationId }}>
        {children}
      </Link>
    ),
  },
  {
    fits: (action, target) => actsOn('images', 'instances', 'view')(action) && UID.test(target),
    link: (studyInstanceUid, children) => (
      <Link to="/images/$studyInstanceUid" params={{ studyInstanceUid }}>
        {children}
      </Link>
    ),
  },
  {
    fits: actsOn('device', 'caller'),
    link: (_, children) => <Link to="/devices">{children}</Link>,
  },
  {
    fits: actsOn('endpoint', 'partner'),
    link: (_, children) => <Link to="/partner">{children}</Link>,
  },
  { fits: actsOn('api-key'), link: (_, children) => <Link to="/keys">{children}</Link> },
  {
    fits: actsOn('setting', 'mail', 'certificate'),
    link: (_, children) => <Link to="/settings">{children}</Link>,
  },
  {
    fits: actsOn('workstation'),
    link: (_, children) => <Link to="/settings/access">{children}</Link>,
  },
  {
    fits: actsOn('template'),
    link: (_, children) => <Link to="/reading/templates">{children}</Link>,
  },
]

/** What an act was done to, leading there where the window shows it. */
export function TargetLink({
  action,
  target,
  children,
}: {
  action: string
  target: string
  children: ReactNode
}) {
  const linkRule = target === '' ? undefined : LINK_RULES.find(({ fits }) => fits(action, target))
  return linkRule ? linkRule.link(target, children) : children
}
