import { describe, expect, test } from "vitest";
import { chooseRoom } from "../src/rooms/choose-room.ts";
import { lookUpRooms, type Room, type RoomRequest } from "../src/rooms/room.ts";

const request: RoomRequest = {
  date: "2026-03-02",
  time: "10:00",
  duration_min: 30,
  attendees: 4,
  needs: ["screen"],
  accessible_required: false,
};

function room(id: string, differing: Partial<Room> = {}): Room {
  return { id, capacity: 6, equipment: ["screen"], accessible: true, distance_m: 20, booked: [], ...differing };
}

function booking(time: string, duration_min = 30) {
  return { date: request.date, time, duration_min };
}

function choice(rooms: readonly Room[], differing: Partial<RoomRequest> = {}): string {
  const asked = { ...request, ...differing };
  return chooseRoom(lookUpRooms(rooms, asked), asked);
}

describe("a room fits", () => {
  test.each([
    ["unless it is booked then", room("A", { booked: [booking("09:45")] })],
    ["unless it is too small", room("A", { capacity: 3 })],
    ["unless it lacks what is needed", room("A", { equipment: ["phone"] })],
  ])("%s", (_, unfit) => {
    expect(choice([unfit])).toBe("No Room");
  });

  test("unless it is not accessible and must be", () => {
    expect(choice([room("A", { accessible: false })], { accessible_required: true })).toBe("No Room");
    expect(choice([room("A", { accessible: false })])).toBe("A");
  });

  test("when a booking ends as the meeting starts, or starts as it ends", () => {
    expect(choice([room("A", { booked: [booking("09:30"), booking("10:30")] })])).toBe("A");
  });

  test("when it is booked at that time of another day", () => {
    expect(choice([room("A", { booked: [{ ...booking("10:00"), date: "2026-03-03" }] })])).toBe("A");
  });
});

describe("of the rooms that fit, the one is chosen that", () => {
  test.each([
    ["has the least spare capacity, though it is far", room("B", { capacity: 4, distance_m: 90 })],
    ["has the least extra equipment, though it is far", room("B", { equipment: ["screen"], distance_m: 90 })],
    [
      "is nearest, though it is booked more",
      room("B", { distance_m: 5, booked: [booking("14:00"), booking("15:00")] }),
    ],
    ["is booked least", room("B")],
  ])("%s", (name, better) => {
    const equipment = name.includes("equipment") ? ["screen", "phone"] : ["screen"];
    expect(choice([room("A", { equipment, booked: [booking("13:00")] }), better])).toBe("B");
  });
});
