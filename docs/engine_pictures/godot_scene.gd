extends SceneTree
# Draws one frame of a clip as Godot imported it.

var left = 12

func _init():
	var file = File.new()
	file.open("res://given.json", File.READ)
	var given = JSON.parse(file.get_as_text()).result
	file.close()
	var scene = load("res://kimono.glb").instance()
	get_root().add_child(scene)
	var camera = Camera.new()
	get_root().add_child(camera)
	camera.fov = given.fov
	camera.look_at_from_position(_vector(given.eye), _vector(given.at), Vector3.UP)
	camera.current = true
	var sun = DirectionalLight.new()
	get_root().add_child(sun)
	sun.look_at_from_position(_vector(given.sun), Vector3.ZERO, Vector3.UP)
	var surroundings = Environment.new()
	surroundings.background_mode = Environment.BG_COLOR
	surroundings.background_color = Color(given.grey, given.grey, given.grey)
	surroundings.ambient_light_color = Color.white
	surroundings.ambient_light_energy = 0.3
	var world = WorldEnvironment.new()
	world.environment = surroundings
	get_root().add_child(world)
	var player = scene.find_node("AnimationPlayer", true, false)
	player.play(given.clip)
	player.seek(given.time, true)
	player.stop(false)

func _idle(_delta):
	left -= 1
	if left == 0:
		var picture = get_root().get_texture().get_data()
		picture.flip_y()
		picture.save_png("res://drawn.png")
		quit()

func _vector(numbers):
	return Vector3(numbers[0], numbers[1], numbers[2])
