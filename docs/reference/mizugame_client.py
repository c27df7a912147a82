#!/usr/bin/env python3
"""A team of Mizugame: fills up at the nearest jar, then waters the nearest free cells.

python3 docs/reference/mizugame_client.py http://127.0.0.1:9210 TOKEN TEAM      (teams are counted from 1)
"""
import sys
import time
import urllib.request
import xml.etree.ElementTree as ElementTree
from collections import deque

STEPS = [(1, 0), (1, 1), (0, 1), (-1, 0), (-1, -1), (0, -1)]
UNITS = 15  # that a robot takes at a jar


def ask(path):
    with urllib.request.urlopen(SERVER + path, timeout=10) as answer:
        return ElementTree.fromstring(answer.read())


def way(rows, start, is_goal):
    """The directions of a shortest way to a cell, or None."""
    came, queue = {start: None}, deque([start])
    while queue:
        cell = queue.popleft()
        if is_goal(cell):
            path = ""
            while came[cell]:
                cell, direction = came[cell]
                path = direction + path
            return path
        for direction, (dx, dy) in enumerate(STEPS):
            to = (cell[0] + dx, cell[1] + dy)
            inside = 0 <= to[0] < len(rows) and 0 <= to[1] < len(rows)
            if inside and to not in came and rows[to[1]][to[0]] not in "#X":
                came[to] = (cell, str(direction))
                queue.append(to)
    return None


def orders(field, team):
    rows = [row.text for row in field.findall("row")]
    taken = {(int(w.get("x")), int(w.get("y"))) for w in field.findall("water")}
    strings = {}
    for robot in field.findall("robot"):
        if int(robot.get("team")) != team:
            continue
        cell, tank = (int(robot.get("x")), int(robot.get("y"))), int(robot.get("tank"))
        is_jar = rows[cell[1]][cell[0]] == "O"
        if tank == 0 or (is_jar and tank < UNITS):
            string = (way(rows, cell, lambda c: rows[c[1]][c[0]] == "O") or "") + "AAAAAAAAA"
        else:
            string = ""
            while len(string) < 7 and tank > 0:
                path = way(rows, cell, lambda c: rows[c[1]][c[0]] in ".~" and c not in taken)
                if path is None:
                    break
                for letter in path:
                    dx, dy = STEPS[int(letter)]
                    cell = (cell[0] + dx, cell[1] + dy)
                taken.add(cell)
                string, tank = string + path + "A", tank - 1
        strings["machine_" + robot.get("machine")] = string[:9]
    return strings


SERVER, TOKEN, TEAM = sys.argv[1], sys.argv[2], int(sys.argv[3])
done = -1
while True:
    field = ask("/system/map/?token=" + TOKEN)
    if field.get("state") == "over":
        break
    if field.get("state") == "running" and int(field.get("session")) != done:
        done = int(field.get("session"))
        fields = [name + "=" + string for name, string in orders(field, TEAM).items()]
        ask("/system/command/" + "&".join(fields + ["token=" + TOKEN]))
    time.sleep(min(0.05, float(field.get("next")) + 0.005))
