/** A time span on one day. */
export interface Booking {
  readonly date: string;
  /** `HH:MM` */
  readonly time: string;
  readonly duration_min: number;
}

/** A meeting room. */
export interface Room {
  readonly id: string;
  readonly capacity: number;
  readonly equipment: readonly string[];
  readonly accessible: boolean;
  readonly distance_m: number;
  readonly booked: readonly Booking[];
}

/** What somebody needs a room for. */
export interface RoomRequest extends Booking {
  readonly attendees: number;
  readonly needs: readonly string[];
  readonly accessible_required: boolean;
}

/** A room as the look-up tool tells of it. */
export interface RoomStatus extends Omit<Room, "booked"> {
  readonly free: boolean;
  /** How many bookings it has in all. */
  readonly bookings: number;
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  return hours * 60 + minutes;
}

function overlaps(a: Booking, b: Booking): boolean {
  const startA = minutesOf(a.time);
  const startB = minutesOf(b.time);
  return a.date === b.date && startA < startB + b.duration_min && startB < startA + a.duration_min;
}

/** All rooms with whether they are free at that time. */
export function lookUpRooms(rooms: readonly Room[], when: Booking): readonly RoomStatus[] {
  return rooms.map(({ booked, ...room }) => ({
    ...room,
    free: !booked.some((booking) => overlaps(booking, when)),
    bookings: booked.length,
  }));
}
