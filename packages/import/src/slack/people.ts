import type { SourcePerson } from '../source.ts';

/**
 * Merges the people of all lists. In Enterprise Grid, the organisation's list takes precedence, and
 * a person in several workspaces is in several lists. A person who is twice in one list remains
 * twice.
 */
export function mergePeople(ofOrganisation: SourcePerson[], ofWorkspaces: SourcePerson[][]): SourcePerson[] {
  const known = new Set(ofOrganisation.map(({ id }) => id));
  const found = new Map<string, SourcePerson>();
  const repeated: SourcePerson[] = [];
  for (const people of ofWorkspaces) {
    const listed = new Set<string>();
    for (const person of people) {
      if (known.has(person.id)) continue;
      const other = found.get(person.id);
      if (listed.has(person.id)) repeated.push(person);
      else found.set(person.id, other ? mergePerson(other, person) : person);
      listed.add(person.id);
    }
  }
  return [...ofOrganisation, ...found.values(), ...repeated];
}

/**
 * Merges a person from two workspaces. They are active if either list says so, and a guest only if
 * both do.
 */
function mergePerson(one: SourcePerson, other: SourcePerson): SourcePerson {
  const [first, second] = one.isActive || !other.isActive ? [one, other] : [other, one];
  const isGuest = first.isGuest === true && (second.isGuest === true || !second.isActive);
  return { ...first, email: first.email ?? second.email, isGuest };
}
