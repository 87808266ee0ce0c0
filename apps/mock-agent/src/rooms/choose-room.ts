import type { RoomRequest, RoomStatus } from "./room.ts";

/** What is answered when no room fits. */
export const noRoom = "No Room";

function fits(room: RoomStatus, request: RoomRequest): boolean {
  return (
    room.free &&
    room.capacity >= request.attendees &&
    request.needs.every((need) => room.equipment.includes(need)) &&
    (room.accessible || !request.accessible_required)
  );
}

/** What a choice is ranked by, the more important first; less is better. */
function rank(room: RoomStatus, request: RoomRequest): readonly number[] {
  const extraEquipment = room.equipment.filter((item) => !request.needs.includes(item)).length;
  return [room.capacity - request.attendees, extraEquipment, room.distance_m, room.bookings];
}

function compare(a: readonly number[], b: readonly number[]): number {
  const differing = a.findIndex((value, index) => value !== b[index]);
  return differing === -1 ? 0 : (a[differing] ?? 0) - (b[differing] ?? 0);
}

/** The best fitting room: least spare capacity, then least extra equipment, then the nearest, then the least booked. */
export function chooseRoom(rooms: readonly RoomStatus[], request: RoomRequest): string {
  const ranked = rooms
    .filter((room) => fits(room, request))
    .toSorted((a, b) => compare(rank(a, request), rank(b, request)));
  return ranked[0]?.id ?? noRoom;
}
