import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardPeople } from '#shared/contract/dashboard-people.ts'
import { dashboardStudies, type WindowStudy } from '#shared/contract/dashboard-studies.ts'
import type { SignedInUser } from '#shared/contract/people.ts'
import { STUDY_AREAS } from '#shared/contract/settings.ts'
import { may } from '#shared/lifecycle.ts'
import type { ProblemError } from '../../api/client.ts'
import { call, keyOf } from '../../api/queries.ts'
import { mayManage } from '../../api/session.ts'
import { dayText } from '../../format/dates.ts'
import { nameText } from '../../format/patient-name.ts'
import { t } from '../../i18n/t.ts'
import { matchesQuery, type PaletteItem } from './palette-items.ts'

const SEARCH_DELAY_MS = 180
const MIN_SEARCH_LENGTH = 2
const MAX_STUDIES = 8
const MAX_PEOPLE = 5

export interface PaletteSearchResult {
  readonly items: readonly PaletteItem[]
  readonly isSearching: boolean
  readonly hasFailed: boolean
}

/**
 * Studies of both areas that what is typed finds; for who manages the gateway users and devices,
 * and for members who manage studies the users whom studies are assigned to.
 */
export function usePaletteSearch(typed: string, user: SignedInUser | null): PaletteSearchResult {
  const isManager = mayManage(user)
  const [search] = useDebouncedValue(typed.trim().slice(0, 100), SEARCH_DELAY_MS)
  const isSearch = search.length >= MIN_SEARCH_LENGTH
  // Gone with the palette: what was found may name patients.
  const kept = {
    enabled: isSearch,
    gcTime: 0,
    staleTime: 0,
    retry: false,
    placeholderData: <T>(before: T | undefined) => before,
  }
  const studies = useQuery<readonly WindowStudy[], ProblemError>({
    queryKey: [...keyOf(dashboardStudies.list, 'palette'), search],
    queryFn: async ({ signal }) => {
      const areas = STUDY_AREAS.map((area) =>
        call(
          dashboardStudies.list,
          { query: { area, search, limit: MAX_STUDIES, cancelled: 'all' } },
          signal,
        ),
      )
      return interleave((await Promise.all(areas)).map((page) => page.studies))
    },
    ...kept,
  })
  const people = useQuery({
    queryKey: [...keyOf(dashboardPeople.people, 'palette'), search],
    queryFn: ({ signal }) =>
      call(dashboardPeople.people, { query: { search, limit: MAX_PEOPLE } }, signal),
    ...kept,
    enabled: isSearch && isManager,
  })
  const assignees = useQuery({
    queryKey: [...keyOf(dashboardStudies.assignees, 'palette'), search],
    queryFn: ({ signal }) =>
      call(dashboardStudies.assignees, { query: { area: 'scribe', search } }, signal),
    ...kept,
    enabled: isSearch && !isManager && user !== null && may(user, 'manageStudies'),
  })
  const devices = useQuery({
    queryKey: keyOf(dashboard.devices, {}),
    queryFn: ({ signal }) => call(dashboard.devices, {}, signal),
    enabled: isSearch && isManager,
    staleTime: 60_000,
  })
  if (!isSearch) return { items: [], isSearching: false, hasFailed: false }
  const isSearching =
    [studies, people, assignees].some(({ isFetching }) => isFetching) ||
    search !== typed.trim().slice(0, 100)
  const items = [
    ...(studies.data ?? []).map(studyItem),
    ...(people.data?.people ?? []).map(
      (person): PaletteItem => ({
        id: `person ${person.email}`,
        group: 'people',
        name: `${person.firstName} ${person.lastName}`.trim() || person.email,
        about: person.email,
        href: '/people',
      }),
    ),
    ...(assignees.data?.assignees ?? []).slice(0, MAX_PEOPLE).map(
      ({ userId, name }): PaletteItem => ({
        id: `assignee ${userId}`,
        group: 'people',
        name,
        about: t('ui.shell.palette.assignedTo'),
        href: `/studies?assignedTo=${userId}`,
      }),
    ),
    ...(devices.data?.devices ?? [])
      .filter(({ aeTitle, name }) => matchesQuery(`${aeTitle} ${name}`, search))
      .slice(0, MAX_PEOPLE)
      .map(
        ({ deviceId, aeTitle, name }): PaletteItem => ({
          id: `device ${deviceId}`,
          group: 'devices',
          name: name || aeTitle,
          about: aeTitle,
          href: '/devices',
        }),
      ),
  ]
  return {
    // What the letters before found stays only where it may be meant: nobody opens another patient
    // by a quick Enter.
    items: isSearching
      ? items.filter(({ name, about }) => matchesQuery(`${name} ${about}`, typed))
      : items,
    isSearching,
    hasFailed: studies.isError,
  }
}

/** Of both areas in turn, so that neither hides the other. */
function interleave(lists: readonly (readonly WindowStudy[])[]): readonly WindowStudy[] {
  const longest = Math.max(...lists.map(({ length }) => length))
  return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list.slice(at, at + 1)))
    .flat()
    .slice(0, MAX_STUDIES)
}

function studyItem(study: WindowStudy): PaletteItem {
  const {
    studyId,
    patientName,
    modalities,
    studyDescription,
    scanDate,
    accessionNumber,
    mrn,
    area,
  } = study
  const about = [
    [...modalities, studyDescription].filter(Boolean).join(' '),
    dayText(scanDate),
    mrn,
    accessionNumber,
    t(`ui.shell.palette.areas.${area}`),
  ]
  return {
    id: `study ${studyId}`,
    group: 'studies',
    name: nameText(patientName),
    about: about.filter(Boolean).join(' · '),
    href: `/studies/${studyId}`,
  }
}
