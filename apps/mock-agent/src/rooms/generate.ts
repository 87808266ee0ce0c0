import { chooseRoom } from "./choose-room.ts";
import { lookUpRooms, type Room, type RoomRequest } from "./room.ts";

const names = ["Birch", "Cedar", "Maple", "Oak", "Pine", "Willow"];
const equipment = ["projector", "whiteboard", "screen", "phone"];
const date = "2026-03-02";

function pick<T>(list: readonly T[], random: () => number): T {
  return list[Math.floor(random() * list.length)] as T;
}

function someOf<T>(list: readonly T[], share: number, random: () => number): readonly T[] {
  return list.filter(() => random() < share);
}

function timeOf(random: () => number): string {
  const minutes = 8 * 60 + 15 * Math.floor(random() * 36);
  return `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;
}

/** A table of rooms of our own making. */
export function generateRooms(random: () => number): readonly Room[] {
  return names.map((id) => ({
    id,
    capacity: 4 + 2 * Math.floor(random() * 5),
    equipment: someOf(equipment, 0.6, random),
    accessible: random() < 0.7,
    distance_m: 5 + Math.floor(random() * 60),
    booked: Array.from({ length: Math.floor(random() * 3) }, () => ({
      date,
      time: timeOf(random),
      duration_min: pick([30, 60], random),
    })),
  }));
}

/** A task of the room agent. */
export interface RoomTask {
  readonly id: string;
  readonly task_input: RoomRequest;
  readonly expected_choice: string;
}

/** Requests with the choice that the rule makes for each. */
export function generateRoomTasks(rooms: readonly Room[], count: number, random: () => number): readonly RoomTask[] {
  return Array.from({ length: count }, (_, index) => {
    const request: RoomRequest = {
      date,
      time: timeOf(random),
      duration_min: pick([30, 45, 60], random),
      attendees: 2 + Math.floor(random() * 9),
      needs: someOf(equipment, 0.3, random),
      accessible_required: random() < 0.3,
    };
    return {
      id: `room-${index + 1}`,
      task_input: request,
      expected_choice: chooseRoom(lookUpRooms(rooms, request), request),
    };
  });
}
